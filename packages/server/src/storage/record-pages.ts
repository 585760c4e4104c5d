/**
 * Pages of a dataset's records as a subquery, so that PostgreSQL reads the records of a page and their related rows in one round
 * trip.
 */
import type { Dialect, Param } from './database.ts'
import { marks } from './database.ts'

/** SQL that selects record numbers. */
export interface NumbersQuery {
  text: string
  params: readonly Param[]
}

export interface RecordsPage {
  /** Null, which never equals anything, for an unknown dataset. */
  datasetNo: number | null
  limit: number
  /** Offset of the page; counted from the end if `isBackwards`. */
  skipped: number
  isBackwards: boolean
}

/** Maximum offset of a subquery, because each statement of a page scans up to it. Beyond it, the numbers are read first. */
export const SKIPPED_MAX = 1_000

/**
 * Returns null if the numbers should be read first. Uses row comparisons and avoids the word `limit`, because these statements
 * stay prepared: only the index on dataset and number can serve such a condition, so that PostgreSQL never scans the records of
 * all datasets.
 */
export function toNumbersQuery({ name }: Dialect, { datasetNo, limit, skipped, isBackwards }: RecordsPage): NumbersQuery | null {
  if (name === 'sqlite' || skipped > SKIPPED_MAX || datasetNo === null) return null
  const order = isBackwards ? 'dataset_no desc, no desc' : 'dataset_no, no'
  return {
    text: `select no from records where (dataset_no, no) > (?, 0) and (dataset_no, no) < (?, 0)
      order by ${order} offset ? fetch first ? rows only`,
    params: [datasetNo, datasetNo + 1, skipped, limit],
  }
}

/** Returns the condition that a column contains one of these numbers. */
export function among(column: string, numbers: readonly number[] | NumbersQuery): NumbersQuery {
  if (!('text' in numbers)) return { text: `${column} in (${marks(numbers)})`, params: numbers }
  // Uses an array, because PostgreSQL assumes that an unknown array is short, and looks up each element.
  return { text: `${column} = any(array(${numbers.text}))`, params: numbers.params }
}
