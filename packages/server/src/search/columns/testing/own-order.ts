import type { Id } from '@postil/domain/schema'
import type { SearchDocument } from '@postil/domain/search/document'
import { searchNaively } from '@postil/domain/search/naive'
import type { SearchQuery } from '@postil/domain/search/query'
import { placeAt, recordShuffle, SHUFFLE_SIZE, userWalk } from '../../shuffle.ts'

/** All matches in the order of the records, which the documents are in, or in the user's shuffle. */
export function inOwnOrder(documents: ReadonlyMap<number, SearchDocument>, query: SearchQuery): Id[] {
  const found = new Set(searchNaively([...documents.values()], { ...query, offset: 0, limit: documents.size }).ids)
  const ids = [...documents.values()].map(({ id }) => id).filter(id => found.has(id))
  if (query.shuffleFor === null) return ids
  const walk = userWalk(query.shuffleFor)
  if (walk.backwards) ids.reverse()
  return Array.from({ length: SHUFFLE_SIZE }, (_, i) => ids.filter(id => recordShuffle(id) === placeAt(walk, i))).flat()
}
