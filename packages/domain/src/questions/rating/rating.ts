import { toColumnInteger } from '../../columns.ts'
import { invalid } from '../../errors.ts'
import { resolveWhole } from '../../exports/resolve.ts'
import { kindOf } from '../../message-values.ts'
import { Int, List, OneOf, Shape, type Static } from '../../schema.ts'
import { checkOption, checkSameType, uniqueValuesProblem } from '../options.ts'
import type { QuestionType } from '../question-type.ts'

const type = OneOf(['rating'])

const settings = Shape({ type, options: List(Shape({ value: Int() })) })
export type RatingSettings = Static<typeof settings>

const settingsCreate = Shape(
  { type, options: List(Shape({ value: Int({ minimum: 0, maximum: 10 }) }), { minItems: 2, maxItems: 11 }) },
  { 'x-check': uniqueValuesProblem },
)

/** Nothing may change. If clients send `options` back, they are dropped like any unknown key. */
const settingsUpdate = Shape({ type })

export const rating = {
  name: 'rating',
  settings,
  settingsCreate,
  settingsUpdate,
  fillSettings: ({ type, options }: RatingSettings) => ({ type, options: options.map(({ value }) => ({ value })) }),
  checkSettings() {},
  checkReferences() {},
  patchSettings(settings, patch) {
    checkSameType(settings, patch)
    return settings
  },
  checkValue(value, question) {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      throw invalid(`Question \`${question.name}\` expects an integer, not ${typeof value === 'number' ? value : kindOf(value)}`)
    }
    checkOption(value, question)
  },
  listValued: false,
  column: { type: 'int64', read: toColumnInteger },
  resolution: { tied: { list: 'int64' }, of: answers => resolveWhole(answers) },
  searchAs: 'integer',
  toSearch: value => (typeof value === 'number' ? [value] : []),
} satisfies QuestionType<RatingSettings>
