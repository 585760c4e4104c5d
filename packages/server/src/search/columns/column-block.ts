import type { Id } from '@postil/domain/schema'
import type { SearchValue } from '@postil/domain/search/document'

/** A single value, or a list of any length. */
export type ColumnValue = SearchValue | readonly SearchValue[]

/**
 * Values of some records in one column, as parallel arrays. Values have the form that `SearchDocument` gives them: times are
 * texts; the shuffle bucket is a number. Records without a value are left out or have an empty list.
 */
export interface ColumnBlock {
  /** Preferably ascending, because lookups are then faster. Only flags come in another order. */
  recordNos: readonly number[]
  /** Authors of the responses, answers or flags; empty for other columns. */
  userIds: readonly Id[]
  /** Empty for columns that only record presence: flags, and `present` columns of suggestions. */
  values: readonly ColumnValue[]
}
