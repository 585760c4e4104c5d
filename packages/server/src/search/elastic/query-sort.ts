/** Converts sort orders for the engines. The last key is always unique for each record. */
import type { Id } from '@postil/domain/schema'
import type { SearchQuery, Sort } from '@postil/domain/search/query'
import { SHUFFLE_BUCKETS, userShuffleOrder } from '../shuffle.ts'
import type { Clause } from './flavour.ts'
import { RECORD_NO, RESPONSES, SHUFFLE, targetPath } from './keys.ts'
import { constantScore, filterOf, toResponseClauses } from './query-clauses.ts'

const BY_ID = { id: { order: 'asc' } }
const BY_RECORD_NO = { [RECORD_NO]: { order: 'asc' } }
export const BY_SCORE = [{ _score: { order: 'desc' } }, BY_RECORD_NO]

export function toOrder({ sort, text, shuffleFor, userId }: SearchQuery): object[] {
  if (sort.length > 0) return [...sort.map(entry => toSortKey(entry, userId)), BY_ID]
  if (shuffleFor !== null) {
    return [{ _score: { order: 'desc' } }, { [RECORD_NO]: { order: userShuffleOrder(shuffleFor).backwards ? 'desc' : 'asc' } }]
  }
  return text === null ? [BY_RECORD_NO] : BY_SCORE
}

function toSortKey({ target, order }: Sort, userId: Id | null): object {
  const isResponse = target.kind === 'response' || target.kind === 'response_status'
  const isAverage = target.kind === 'response' && target.as === 'number'
  return {
    [targetPath(target)]: {
      order,
      missing: '_last',
      mode: isAverage ? 'avg' : order === 'asc' ? 'min' : 'max',
      unmapped_type: toEngineType(target),
      ...(isResponse ? { nested: { path: RESPONSES, filter: filterOf(toResponseClauses(userId, [])) } } : {}),
    },
  }
}

function toEngineType(target: Sort['target']): string {
  if (target.kind === 'record' && (target.property === 'inserted_at' || target.property === 'updated_at')) return 'long'
  return target.as === 'number' ? 'double' : 'keyword'
}

/** Scores buckets by their position in the user's order, between 0 and 1. Earlier buckets have higher scores. */
export function toShuffle(userId: Id): Clause[] {
  return userShuffleOrder(userId).buckets.map((bucket, number) =>
    constantScore({ term: { [SHUFFLE]: String(bucket) } }, 1 - number / SHUFFLE_BUCKETS),
  )
}
