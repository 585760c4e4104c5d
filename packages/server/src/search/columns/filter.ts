/**
 * Evaluates filters as bitmap operations. Each filter removes records that do not match, so that later filters check fewer
 * records. Filters on responses first select slots, and then the records of these slots.
 */
import type { Id } from '@postil/domain/schema'
import type { Existing, Filter, Target } from '@postil/domain/search/query'
import { Bitmap } from '../bitmap.ts'
import { type ColumnKey, existingKeys, targetKey } from './column-key.ts'
import { IdColumn } from './id-column.ts'
import { keepBytes, keepIds, keepNumbers, keepWords, presentIn } from './keep.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import type { Column, RecordColumns } from './record-columns.ts'
import { statusCode } from './responses.ts'
import { toTimeRanges, toTimeValues } from './times.ts'

export interface FilterContext {
  columns: RecordColumns
  /** Restricts responses and flags to this user; null for all users. */
  userId: Id | null
}

type ValueFilter = Extract<Filter, { target: Target }>

/** Returns the records among `bits` that match all filters, as a new bitmap. */
export function matchAll(bits: Bitmap, filters: readonly Filter[], context: FilterContext): Bitmap {
  const matches = bits.clone()
  const costs = filters.map(filter => ({ filter, cost: costOf(filter, context) }))
  costs.sort((left, right) => left.cost - right.cost)
  for (const { filter } of costs) keepMatching(matches, filter, context)
  return matches
}

/** Removes the records that do not match, in place. */
export function keepMatching(bits: Bitmap, filter: Filter, context: FilterContext): void {
  switch (filter.kind) {
    case 'nothing':
      bits.words.fill(0)
      return
    case 'response_status':
      keepByStatus(bits, filter, context)
      return
    case 'exists': {
      const found = findExisting(filter.of, context)
      if (filter.exists) bits.and(found)
      else bits.andNot(found)
      return
    }
    default:
      keepByValue(bits, filter, context)
  }
}

/** Estimates the relative cost of a filter per record. Filters that match nothing cost 0, so that they run first. */
function costOf(filter: Filter, { columns }: FilterContext): number {
  if (filter.kind === 'nothing') return 0
  if (filter.kind === 'response_status' || filter.kind === 'exists') return 1
  const column = columns.column(targetKey(filter.target))
  const ranges = filter.kind === 'values' ? 1 : Math.log2(filter.ranges.length + 1)
  if (filter.target.kind === 'response') return 4 * ranges
  if (column instanceof KeywordColumn) {
    const { dictionary } = column
    if (filter.kind === 'values' && filter.values.every(value => dictionary.find(value) === 0)) return 0
    return column.lists.isEmpty ? 2 : 5
  }
  return (column instanceof IdColumn ? 6 : 3) * ranges
}

function keepByStatus(
  bits: Bitmap,
  { statuses, pending }: Extract<Filter, { kind: 'response_status' }>,
  { columns, userId }: FilterContext,
): void {
  const { rows, statuses: codes } = columns.responses()
  const slots = rows.ofUser(userId)
  const unanswered = pending ? bits.clone().andNot(rows.toOrdinals(slots)) : new Bitmap()
  keepBytes(slots, codes, statuses.map(statusCode))
  bits.and(rows.toOrdinals(slots)).or(unanswered)
}

function findExisting(of: Existing, { columns, userId }: FilterContext): Bitmap {
  if (of.kind === 'flag') {
    const flags = columns.flags()
    return flags.toOrdinals(flags.ofUser(userId))
  }
  const keys = existingKeys(of)
  if (of.kind === 'response') {
    const { rows } = columns.responses()
    return rows.toOrdinals(rows.ofUser(userId).and(presentInAny(columns, keys)))
  }
  return presentInAny(columns, keys)
}

/** The ordinals or slots for which at least one of the columns has a value. */
function presentInAny(columns: RecordColumns, keys: readonly ColumnKey[]): Bitmap {
  const found = new Bitmap()
  for (const key of keys) {
    const column = columns.column(key)
    found.or(column instanceof Bitmap ? column : presentIn(column))
  }
  return found
}

function keepByValue(bits: Bitmap, filter: ValueFilter, { columns, userId }: FilterContext): void {
  const column = columns.column(targetKey(filter.target))
  if (filter.target.kind !== 'response') {
    keepValues(bits, column, filter)
    return
  }
  const { rows } = columns.responses()
  const slots = rows.ofUser(userId)
  keepValues(slots, column, filter)
  bits.and(rows.toOrdinals(slots))
}

function keepValues(bits: Bitmap, column: Column, filter: ValueFilter): void {
  if (column instanceof IdColumn && filter.kind !== 'number_ranges') keepIds(bits, column, filter)
  else if (column instanceof KeywordColumn && filter.kind !== 'number_ranges') keepWords(bits, column, filter)
  else if (column instanceof NumberColumn) keepNumbers(bits, column, toNumberRanges(filter))
  else throw new Error(`A filter by ${filter.kind} does not fit its column`)
}

/** Converts the filter to number ranges. Among the text filters, only those on times can be converted. */
function toNumberRanges(filter: ValueFilter) {
  if (filter.kind === 'number_ranges') return filter.ranges
  if (filter.target.kind !== 'record') throw new Error(`A filter by ${filter.kind} does not fit a column of numbers`)
  return filter.kind === 'values' ? toTimeValues(filter.values) : toTimeRanges(filter.ranges)
}
