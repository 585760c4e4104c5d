/** Enforces the engines' limits for the number of clauses and levels in a query. */
import { invalid } from '@postil/domain/errors'
import type { Clause } from './flavour.ts'
import { FUZZY_SCORED_MAX } from './text.ts'

/** By default, engines reject queries with more than 1,024 clauses. */
export const CLAUSES_MAX = 1000

/** Elasticsearch rejects queries with more than 30 levels, but parses a wrapped part as a separate query. */
const LEVELS_MAX = 25

/** Returns the query in a form that the engine accepts. Throws `invalid` if it has too many clauses. */
export function toAcceptedQuery(query: Clause): Clause {
  const count = countClauses(query)
  if (count > CLAUSES_MAX) {
    throw invalid(
      `The search is too large for the search engine: its words, each in every field, and its ranges make ${count} conditions, and at most ${CLAUSES_MAX} are possible`,
    )
  }
  return wrapDeep(query, 1) as Clause
}

/** Throws `invalid` if the text alone already has too many clauses. */
export function checkTextClauses(text: Clause): Clause {
  const count = countClauses(text)
  if (count > CLAUSES_MAX) {
    throw invalid(
      `The text is too large for the search engine: its words, each in every field, make ${count} conditions, and at most ${CLAUSES_MAX} are possible`,
      ['query', 'text', 'q'],
    )
  }
  return text
}

const COMPOUND = new Set(['bool', 'must', 'must_not', 'should', 'filter', 'constant_score', 'nested', 'query'])

/** Counts clauses in the same way as the engines: a list of texts is one clause, and each word of a phrase is one. */
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
  // Engines build two queries for a number and run the cheaper one.
  return kind === 'range' || kind === 'terms' ? 2 : 1
}

const countWords = (phrase: object): number => {
  const [parameters] = Object.values(phrase) as { query: string }[]
  return parameters?.query.split(' ').length ?? 0
}

const isScored = (fuzzy: object): boolean => Object.values(fuzzy).some(parameters => 'max_expansions' in parameters)

/** Wraps parts that are nested too deeply. */
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
