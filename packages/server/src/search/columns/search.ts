import type { SearchQuery } from '@postil/domain/search/query'
import type { Bitmap } from '../bitmap.ts'
import type { RecordColumns } from './record-columns.ts'
import { shuffledPage } from './shuffled-page.ts'
import { sortPage } from './sort.ts'

export interface ColumnHits {
  ordinals: Uint32Array
  /** Score of each ordinal; null if the order is not by score. */
  scores: number[] | null
}

/**
 * Returns a page of a search whose order is neither by relevance nor by similarity. `matches` has all matching records, `total`
 * is their number. The columns of `searchKeys` must be loaded.
 */
export function listPage(columns: RecordColumns, query: SearchQuery, matches: Bitmap, total: number): ColumnHits {
  const { sort, userId, shuffleFor, offset, limit } = query
  const page = { offset, limit, total }
  if (sort.length > 0) return { ordinals: sortPage(matches, sort, page, { columns, userId }), scores: null }
  if (shuffleFor !== null) return shuffledPage(matches, shuffleFor, page, columns.shuffle())
  const ordinals = matches.page(offset, limit, total)
  return { ordinals, scores: Array.from(ordinals, () => 1) }
}
