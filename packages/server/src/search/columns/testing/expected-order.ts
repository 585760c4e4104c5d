import type { Id } from '@postil/domain/schema'
import type { SearchDocument } from '@postil/domain/search/document'
import { searchNaively } from '@postil/domain/search/naive'
import type { SearchQuery } from '@postil/domain/search/query'
import { toShuffleBucket, userShuffleOrder } from '../../shuffle.ts'

/** Returns all matches in the order of the documents, or in the user's shuffle. */
export function toExpectedOrder(documents: ReadonlyMap<number, SearchDocument>, query: SearchQuery): Id[] {
  const found = new Set(searchNaively([...documents.values()], { ...query, offset: 0, limit: documents.size }).ids)
  const ids = [...documents.values()].map(({ id }) => id).filter(id => found.has(id))
  if (query.shuffleFor === null) return ids
  const order = userShuffleOrder(query.shuffleFor)
  if (order.backwards) ids.reverse()
  return order.buckets.flatMap(bucket => ids.filter(id => toShuffleBucket(id) === bucket))
}
