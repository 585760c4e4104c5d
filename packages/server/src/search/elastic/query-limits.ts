/** What engines accept in one query: a number of clauses, and of levels. */
import { invalid } from '@postil/domain/errors'
import type { Clause } from './flavour.ts'
import { FUZZY_SCORED_MAX } from './text.ts'

/** Engines refuse queries with more than 1,024 clauses, unless they are set up otherwise. */
export const CLAUSES_MAX = 1000

/** Elasticsearch refuses queries of more than 30 levels, but reads a wrapped part as a query of its own. */
const LEVELS_MAX = 25

/** The query as the engine accepts it. Throws `invalid` if it has too many clauses. */
export function toAccepted(query: Clause): Clause {
  const count = countClauses(query)
  if (count > CLAUSES_MAX) {
    throw invalid(
      `The search is too large for the search engine: its words, each in every field, and its ranges make ${count} conditions, and at most ${CLAUSES_MAX} are possible`,
    )
  }
  return wrapDeep(query, 1) as Clause
}

const COMPOUND = new Set(['bool', 'must', 'must_not', 'should', 'filter', 'constant_score', 'nested', 'query'])

/** Conditions that are looked up, as engines count them: a list of texts is one, each word of a phrase is one. */
export function countClauses(query: unknown): number {
  if (Array.isArray(query)) return query.reduce((sum: number, part) => sum + countClauses(part), 0)
  if (typeof query !== 'object' || query === null) return 0
  return Object.entries(query).reduce((sum, [kind, part]) => sum + countKind(kind, part), 0)
}

function countKind(kind: string, part: unknown): number {
  if (COMPOUND.has(kind)) return countClauses(part)
  if (typeof part !== 'object' || part === null) return 0
  if (kind === 'match_phrase' || kind === 'match_phrase_prefix') return countWords(part)
  if (kind === 'fuzzy') return isScored(part) ? FUZZY_SCORED_MAX : 1
  // A number is looked up in two ways, of which the engine takes the cheaper.
  return kind === 'range' || kind === 'terms' ? 2 : 1
}

const countWords = (phrase: object): number => {
  const [parameters] = Object.values(phrase) as { query: string }[]
  return parameters?.query.split(' ').length ?? 0
}

const isScored = (fuzzy: object): boolean => Object.values(fuzzy).some(parameters => 'max_expansions' in parameters)

/** Wraps what lies too deep. */
function wrapDeep(part: unknown, level: number): unknown {
  if (Array.isArray(part)) return part.map(entry => wrapDeep(entry, level))
  if (typeof part !== 'object' || part === null) return part
  const [kind = ''] = Object.keys(part)
  const isQuery = kind === 'bool' || kind === 'constant_score' || kind === 'nested'
  if (isQuery && level > LEVELS_MAX) {
    return { wrapper: { query: Buffer.from(JSON.stringify(wrapDeep(part, 1))).toString('base64') } }
  }
  if (!COMPOUND.has(kind)) return part
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, wrapDeep(value, isQuery ? level + 1 : level)]))
}
