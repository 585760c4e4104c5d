/** The few forms of queries that everything else is made of. */
import type { Clause } from './flavour.ts'
import { RESPONSE_USER, RESPONSES } from './keys.ts'

export const MATCH_ALL: Clause = { match_all: {} }
export const MATCH_NONE: Clause = { match_none: {} }

/** Scores add up. */
export function allOf(clauses: readonly Clause[]): Clause {
  const [first = MATCH_ALL, ...others] = clauses
  return others.length === 0 ? first : { bool: { must: clauses } }
}

/** Scores add up. */
export function anyOf(clauses: readonly Clause[]): Clause {
  const [first = MATCH_NONE, ...others] = clauses
  return others.length === 0 ? first : { bool: { should: clauses, minimum_should_match: 1 } }
}

export const noneOf = (clauses: readonly Clause[]): Clause => ({ bool: { must_not: clauses } })

/** Without scores. */
export const filterOf = (clauses: readonly Clause[]): Clause => (clauses.length === 0 ? MATCH_ALL : { bool: { filter: clauses } })

export const constantScore = (filter: Clause, boost = 1): Clause => ({ constant_score: { filter, boost } })

/** Responses that match, of one user or of everybody. */
export function toResponseClauses(userId: string | null, clauses: readonly Clause[]): Clause[] {
  return userId === null ? [...clauses] : [{ term: { [RESPONSE_USER]: userId } }, ...clauses]
}

/** Records with such a response. */
export const withResponse = (userId: string | null, clauses: readonly Clause[]): Clause => ({
  nested: { path: RESPONSES, query: filterOf(toResponseClauses(userId, clauses)), score_mode: 'none' },
})
