import { toColumnText } from '../../columns.ts'
import { invalid } from '../../errors.ts'
import { resolveTexts } from '../../exports/resolve.ts'
import { kindOf } from '../../message-values.ts'
import { Bool, OneOf, Optional, Shape, type Static } from '../../schema.ts'
import { checkSameType } from '../options.ts'
import type { QuestionType } from '../question-type.ts'

const type = OneOf(['text'])

const settings = Shape({ type, use_markdown: Bool() })
export type TextSettings = Static<typeof settings>

const settingsCreate = Shape({ type, use_markdown: Optional(Bool({ default: false })) })
const settingsUpdate = Shape({ type, use_markdown: Optional(Bool()) }, { 'x-not-null': ['use_markdown'] })

const TEXT_GIVEN = 'given'

export const text = {
  name: 'text',
  settings,
  settingsCreate,
  settingsUpdate,
  fillSettings: ({ type, use_markdown }: Static<typeof settingsCreate>) => ({ type, use_markdown: use_markdown ?? false }),
  checkSettings() {},
  checkReferences() {},
  patchSettings(settings, patch: Static<typeof settingsUpdate>) {
    checkSameType(settings, patch)
    return { type: settings.type, use_markdown: patch.use_markdown ?? settings.use_markdown }
  },
  checkValue(value, question) {
    if (typeof value === 'string') return
    throw invalid(`Question \`${question.name}\` expects a text, not ${kindOf(value)}`)
  },
  listValued: false,
  column: { type: 'string', read: toColumnText },
  resolution: { tied: { list: 'string' }, of: resolveTexts },
  searchAs: 'none',
  // Only whether a text exists is searchable: texts may be long, and filters by a whole text are not useful.
  toSearch: value => (typeof value === 'string' && value.trim() !== '' ? [TEXT_GIVEN] : []),
} satisfies QuestionType<TextSettings>
