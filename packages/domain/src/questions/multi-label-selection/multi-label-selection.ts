import { toColumnTexts } from '../../columns.ts'
import { invalid } from '../../errors.ts'
import { resolveParts } from '../../exports/resolve.ts'
import { kindOf, quoted } from '../../message-values.ts'
import { Int, type Json, List, Nullable, OneOf, Optional, Shape, type Static } from '../../schema.ts'
import { replaceInLabelList } from '../labels.ts'
import * as options from '../options.ts'
import type { QuestionType } from '../question-type.ts'

const type = OneOf(['multi_label_selection'])

const OPTIONS_ORDERS = ['natural', 'suggestion'] as const

const settings = Shape({
  type,
  options: List(options.QuestionOption),
  visible_options: Nullable(Int()),
  options_order: OneOf(OPTIONS_ORDERS),
})
export type MultiLabelSelectionSettings = Static<typeof settings>

const visibleOptions = Optional(Nullable(Int({ minimum: options.VISIBLE_OPTIONS_MIN })))

const settingsCreate = Shape(
  {
    type,
    options: List(options.OptionCreate, { minItems: 2 }),
    visible_options: visibleOptions,
    options_order: Optional(OneOf(OPTIONS_ORDERS, { default: 'natural' })),
  },
  {
    'x-alias': { visible_labels: 'visible_options', labels_order: 'options_order' },
    'x-check': options.visibleOptionsProblem,
  },
)

const settingsUpdate = Shape(
  { type, options: options.OptionsUpdate(2), visible_options: visibleOptions, options_order: Optional(OneOf(OPTIONS_ORDERS)) },
  { 'x-alias': { labels_order: 'options_order' }, 'x-not-null': ['options_order'] },
)

export const multiLabelSelection = {
  name: 'multi_label_selection',
  settings,
  settingsCreate,
  settingsUpdate,
  fillSettings: (given: Static<typeof settingsCreate>) => ({
    type: given.type,
    options: options.toStoredOptions(given.options),
    visible_options: options.visibleOptionsOf(given),
    options_order: given.options_order ?? 'natural',
  }),
  checkSettings: (given, limits) => options.checkOptionsMax(given, limits.labelOptionsMax),
  checkReferences() {},
  patchSettings(settings, patch: Static<typeof settingsUpdate>) {
    options.checkSameType(settings, patch)
    return {
      type: settings.type,
      ...options.patchOptions(settings, patch),
      options_order: patch.options_order ?? settings.options_order,
    }
  },
  checkValue(value, question) {
    if (!Array.isArray(value)) {
      throw invalid(`Question \`${question.name}\` expects a list of options, not ${kindOf(value)}`)
    }
    if (value.length === 0) throw invalid(`Question \`${question.name}\` expects at least one option`)
    const seen = new Set<Json>()
    for (const [index, label] of value.entries()) {
      if (seen.has(label)) throw invalid(`${quoted(label)} is given twice to question \`${question.name}\``, [index])
      seen.add(label)
    }
    for (const [index, label] of value.entries()) options.checkOption(label, question, [index])
  },
  listValued: true,
  column: { type: { list: 'string' }, read: toColumnTexts },
  resolution: { tied: { list: 'string' }, of: answers => resolveParts(answers, String) },
  labels: { min: 2, max: limits => limits.labelOptionsMax, replace: replaceInLabelList },
  searchAs: 'keyword',
  toSearch: value => (Array.isArray(value) ? value.filter(label => typeof label === 'string') : []),
} satisfies QuestionType<MultiLabelSelectionSettings>
