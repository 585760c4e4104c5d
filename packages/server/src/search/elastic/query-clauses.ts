/** The basic query clauses from which all others are composed. */
import type { Clause } from './flavour.ts'
import { RESPONSE_USER, RESPONSES } from './keys.ts'

export const MATCH_ALL: Clause = { match_all: {} }
export const MATCH_NONE: Clause = { match_none: {} }

/** Requires all clauses. Scores are added. */
export function allOf(clauses: readonly Clause[]): Clause {
  const [first = MATCH_ALL, ...others] = clauses
  return others.length === 0 ? first : { bool: { must: clauses } }
}

/** Requires at least one clause. Scores are added. */
export function anyOf(clauses: readonly Clause[]): Clause {
  const [first = MATCH_NONE, ...others] = clauses
  return others.length === 0 ? first : { bool: { should: clauses, minimum_should_match: 1 } }
}

export const noneOf = (clauses: readonly Clause[]): Clause => ({ bool: { must_not: clauses } })

/** Requires all clauses, without scores. */
export const filterOf = (clauses: readonly Clause[]): Clause => (clauses.length === 0 ? MATCH_ALL : { bool: { filter: clauses } })

export const constantScore = (filter: Clause, boost = 1): Clause => ({ constant_score: { filter, boost } })

/** Clauses for matching responses of one user, or of all users for null. */
export function toResponseClauses(userId: string | null, clauses: readonly Clause[]): Clause[] {
  return userId === null ? [...clauses] : [{ term: { [RESPONSE_USER]: userId } }, ...clauses]
}

/** Matches records that have such a response. */
export const withResponse = (userId: string | null, clauses: readonly Clause[]): Clause => ({
  nested: { path: RESPONSES, query: filterOf(toResponseClauses(userId, clauses)), score_mode: 'none' },
})
