import type { SearchQuery } from '@postil/domain/search/query'
import type { Bitmap } from '../bitmap.ts'
import { matchAll } from './filter.ts'
import type { RecordColumns } from './record-columns.ts'
import { shuffledPage } from './shuffled-page.ts'
import { sortPage } from './sort.ts'

export interface ColumnHits {
  ordinals: Uint32Array
  /** Of each ordinal; null when the order is not by score. */
  scores: number[] | null
  total: number
}

/**
 * The page of a search that its columns can answer: not by relevance, not by similarity. `found` are the records that match the text; null
 * for a search without text. The columns of `searchKeys` must be loaded.
 */
export function searchColumns(columns: RecordColumns, query: SearchQuery, found: Bitmap | null): ColumnHits {
  const { filters, sort, userId, shuffleFor, offset, limit } = query
  const context = { columns, userId }
  const among = found === null ? columns.live : found.clone().and(columns.live)
  const matches = matchAll(among, filters, context)
  const total = matches.count()
  if (sort.length > 0) return { ordinals: sortPage(matches, sort, { offset, limit }, context), scores: null, total }
  if (shuffleFor !== null) return { ...shuffledPage(matches, shuffleFor, { offset, limit }, columns.shuffle()), total }
  const ordinals = matches.page(offset, limit)
  return { ordinals, scores: Array.from(ordinals, () => 1), total }
}
