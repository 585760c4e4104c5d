/** What engines accept in one query. */
import { invalid } from '@postil/domain/errors'
import type { Clause } from './flavour.ts'
import { FUZZY_SCORED_MAX } from './text.ts'

/** Engines refuse queries with more than 1,024 clauses, unless they were set up otherwise. */
export const CLAUSES_MAX = 1000

/** Gives the query back. Throws `invalid` if it has too many clauses. */
export function checkClauses(query: Clause): Clause {
  const count = countClauses(query)
  if (count > CLAUSES_MAX) {
    throw invalid(
      `The search is too large for the search engine: its words, each in every field, and its ranges make ${count} conditions, and at most ${CLAUSES_MAX} are possible`,
    )
  }
  return query
}

/** Conditions that are looked up, as engines count them: a list of values is one, each word of a phrase is one. */
function countClauses(query: unknown): number {
  if (Array.isArray(query)) return query.reduce((sum: number, part) => sum + countClauses(part), 0)
  if (typeof query !== 'object' || query === null) return 0
  return Object.entries(query).reduce((sum, [kind, part]) => sum + countKind(kind, part), 0)
}

const COMPOUND = new Set(['bool', 'must', 'must_not', 'should', 'filter', 'constant_score', 'nested', 'query'])

function countKind(kind: string, part: unknown): number {
  if (COMPOUND.has(kind)) return countClauses(part)
  if (kind === 'match_phrase' || kind === 'match_phrase_prefix') return countWords(part)
  if (kind === 'fuzzy') return FUZZY_SCORED_MAX
  return typeof part === 'object' ? 1 : 0
}

function countWords(phrase: unknown): number {
  const [parameters] = Object.values(phrase as { [path: string]: { query: string } })
  return parameters === undefined ? 0 : parameters.query.split(' ').length
}
