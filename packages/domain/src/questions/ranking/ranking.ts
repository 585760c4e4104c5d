import { withoutNulls } from '../../columns.ts'
import { invalid } from '../../errors.ts'
import { resolveRankings } from '../../exports/resolve.ts'
import { kindOf, quoted } from '../../message-values.ts'
import { Int, type Json, List, NullByDefault, OneOf, Shape, type Static, Text } from '../../schema.ts'
import * as options from '../options.ts'
import type { QuestionType } from '../question-type.ts'

const type = OneOf(['ranking'])

const settings = Shape({ type, options: List(options.QuestionOption) })
export type RankingSettings = Static<typeof settings>

const settingsCreate = Shape(
  { type, options: List(options.OptionCreate, { minItems: 2, maxItems: 50 }) },
  { 'x-check': options.uniqueValuesProblem },
)

/** Nothing may change, see rating. */
const settingsUpdate = Shape({ type })

/** An answer: options with their ranks, in the order the client sent them. */
export const RankingValue = List(Shape({ value: Text(), rank: NullByDefault(Int()) }))

type Ranked = { value: string; rank?: Json }

const isRanked = (entry: Json): entry is Ranked =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry) && typeof entry.value === 'string'

export const ranking = {
  name: 'ranking',
  settings,
  settingsCreate,
  settingsUpdate,
  fillSettings: (given: Static<typeof settingsCreate>) => ({ type: given.type, options: options.toStoredOptions(given.options) }),
  checkSettings() {},
  checkReferences() {},
  patchSettings(settings, patch) {
    options.checkSameType(settings, patch)
    return settings
  },
  checkValue(value, question, { status }) {
    const ranked = toRanked(value, question.name)
    if (status === 'submitted') checkComplete(ranked, question.name, question.settings.options.length)
    for (const [index, { value }] of ranked.entries()) options.checkOption(value, question, [index, 'value'])
    checkNoneTwice(ranked, question.name)
  },
  listValued: true,
  column: { type: { list: { struct: { value: 'string', rank: 'int64' } } }, read: withoutNulls },
  resolution: { tied: { list: 'string' }, of: resolveRankings },
  searchAs: 'unordered',
  toSearch: toFirst,
} satisfies QuestionType<RankingSettings>

function toRanked(value: Json, name: string): Ranked[] {
  if (Array.isArray(value) && value.every(isRanked)) return value
  const given = Array.isArray(value) ? 'something else in it' : kindOf(value)
  throw invalid(`Question \`${name}\` expects a list of options with ranks such as {"value": "…", "rank": 1}, not ${given}`)
}

/** Throws unless all options are ranked, which only submitted responses require. Equal ranks and gaps are allowed. */
function checkComplete(ranked: readonly Ranked[], name: string, count: number): void {
  if (ranked.length !== count) {
    throw invalid(`Question \`${name}\` expects all ${count} options to be ranked, but ${ranked.length} are given`)
  }
  for (const [index, { rank }] of ranked.entries()) {
    if (typeof rank === 'number' && Number.isInteger(rank) && rank >= 1 && rank <= count) continue
    throw invalid(`${quoted(rank ?? null)} is not a rank of question \`${name}\`. Ranks: 1 to ${count}`, [index, 'rank'])
  }
}

function checkNoneTwice(ranked: readonly Ranked[], name: string): void {
  const seen = new Set<string>()
  for (const [index, { value }] of ranked.entries()) {
    if (seen.has(value)) throw invalid(`${quoted(value)} is ranked twice in question \`${name}\``, [index, 'value'])
    seen.add(value)
  }
}

/** Returns the options with the best rank: several if ranks are equal, none if nothing is ranked. */
function toFirst(value: Json): string[] {
  const ranked = Array.isArray(value) ? value.filter(isRanked) : []
  const ranks = ranked.flatMap(({ rank }) => (typeof rank === 'number' ? [rank] : []))
  const best = Math.min(...ranks)
  return ranked.filter(({ rank }) => rank === best).map(entry => entry.value)
}
