import type { Id } from '@postil/domain/schema'
import type { SearchValue } from '@postil/domain/search/document'

/** One value, or a list of none or several. */
export type ColumnValue = SearchValue | readonly SearchValue[]

/**
 * What some records have in one column, side by side, as `SearchDocument` says it: times are texts, the place in the shuffle is a number.
 * Records without a value are left out, or have an empty list.
 */
export interface ColumnBlock {
  /** Best ascending: they are then found faster. Only flags come in another order. */
  recordNos: readonly number[]
  /** Whose responses, answers or flags they are; empty for other columns. */
  userIds: readonly Id[]
  /** Empty for columns that only say that there is something: flags, and suggestions that are present. */
  values: readonly ColumnValue[]
}
