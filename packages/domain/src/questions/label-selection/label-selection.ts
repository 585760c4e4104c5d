import { toColumnText } from '../../columns.ts'
import { invalid } from '../../errors.ts'
import { resolveWhole } from '../../exports/resolve.ts'
import { kindOf } from '../../message-values.ts'
import { Int, List, Nullable, OneOf, Optional, Shape, type Static } from '../../schema.ts'
import { replaceSingleLabel } from '../labels.ts'
import * as options from '../options.ts'
import type { QuestionType } from '../question-type.ts'

const type = OneOf(['label_selection'])

const settings = Shape({ type, options: List(options.QuestionOption), visible_options: Nullable(Int()) })
export type LabelSelectionSettings = Static<typeof settings>

const visibleOptions = Optional(Nullable(Int({ minimum: options.VISIBLE_OPTIONS_MIN })))

const settingsCreate = Shape(
  { type, options: List(options.OptionCreate, { minItems: 2 }), visible_options: visibleOptions },
  { 'x-alias': { visible_labels: 'visible_options' }, 'x-check': options.visibleOptionsProblem },
)

const settingsUpdate = Shape({ type, options: options.OptionsUpdate(2), visible_options: visibleOptions })

export const labelSelection = {
  name: 'label_selection',
  settings,
  settingsCreate,
  settingsUpdate,
  fillSettings: (given: Static<typeof settingsCreate>) => ({
    type: given.type,
    options: options.toStoredOptions(given.options),
    visible_options: options.visibleOptionsOf(given),
  }),
  checkSettings: (given, limits) => options.checkOptionsMax(given, limits.labelOptionsMax),
  checkReferences() {},
  patchSettings(settings, patch: Static<typeof settingsUpdate>) {
    options.checkSameType(settings, patch)
    return { type: settings.type, ...options.patchOptions(settings, patch) }
  },
  checkValue(value, question) {
    if (typeof value !== 'string') {
      throw invalid(`Question \`${question.name}\` expects one option as a text, not ${kindOf(value)}`)
    }
    options.checkOption(value, question)
  },
  listValued: false,
  column: { type: 'string', read: toColumnText },
  resolution: { tied: { list: 'string' }, of: answers => resolveWhole(answers) },
  labels: { min: 2, max: limits => limits.labelOptionsMax, replace: replaceSingleLabel },
  searchAs: 'keyword',
  toSearch: value => (typeof value === 'string' ? [value] : []),
} satisfies QuestionType<LabelSelectionSettings>
