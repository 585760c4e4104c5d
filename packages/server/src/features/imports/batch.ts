/** Collects the rows of a batch: items to store, and rejected rows. */
import { DomainError, ShapeError } from '@postil/domain/errors'
import { type ImportMapping, REJECTED_VALUE_MAX, type RejectedRow } from '@postil/domain/imports'
import type { RecordUpsert } from '@postil/domain/records'
import type { Json } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { checkCharacters, checkChatLengths, checkNewRecord } from '../records/check-item.ts'
import { ColumnProblem, type ConvertOptions, findColumn, toRecord } from './convert.ts'
import { type RowProblem, shorten, type TableRow, type Values } from './tables/table.ts'

const ROWS_MAX = 100
/** Limit of converted rows per batch; rows with images are large. */
const BYTES_MAX = 8 * 1024 * 1024
/** Limit of rejected rows held in memory until they are written. */
const REJECTED_MAX = 1_000

export interface RejectedRowValues extends RejectedRow {
  /** Values of the row; null if it could not be read. */
  values: Values | null
}

export interface BatchParts {
  ctx: Context
  options: ConvertOptions
  /** Same validation as for request bodies. Throws a ShapeError. */
  checkShape(item: unknown): RecordUpsert
  /** True for external ids that the import skips. */
  isSkipped(externalId: string): boolean
  /** Number of further rejected rows after which the import ends. */
  rejectsLeft: number
}

/** Accepts every user id, because users were looked up when the row was converted. */
const EVERYBODY = { has: () => true }

export function createBatch({ ctx, options, checkShape, isSkipped, rejectsLeft }: BatchParts) {
  const items = new Map<string, RecordUpsert>()
  const rejected: RejectedRowValues[] = []
  const counts = { read: 0, skipped: 0 }
  let bytes = 0

  const check = (values: Values, rowNo: number) => {
    const item = checkShape(toRecord(values, rowNo, options))
    const json = checkCharacters(item)
    checkChatLengths(ctx, [item], () => [])
    checkNewRecord(item, options.rules, EVERYBODY)
    return { item, json }
  }
  const reject = ({ no }: TableRow, values: Values | null, { column, value, reason }: RowProblem) => {
    rejected.push({ row: no, column, value: value === null ? null : shorten(value, REJECTED_VALUE_MAX), reason, values })
  }

  return {
    items,
    rejected,
    counts,
    isFull: () =>
      items.size >= ROWS_MAX || bytes >= BYTES_MAX || rejected.length >= REJECTED_MAX || rejected.length >= rejectsLeft,
    /** Returns false if the row belongs to the next batch, because an earlier row of this batch has the same external id. */
    add: (row: TableRow): boolean => {
      if (row.values === null) {
        reject(row, null, row.problem)
        counts.read++
        return true
      }
      try {
        const { item, json } = check(row.values, row.no)
        const key = item.external_id ?? ''
        if (isSkipped(key)) counts.skipped++
        else if (items.has(key)) return false
        else {
          items.set(key, item)
          bytes += json.length
        }
      } catch (error) {
        reject(row, row.values, toProblem(error, row.values, options.mapping))
      }
      counts.read++
      return true
    },
  }
}

/** Rethrows errors that are not about the row. */
function toProblem(error: unknown, values: Values, mapping: ImportMapping): RowProblem {
  const of = (column: string | null, reason: string): RowProblem => ({
    column,
    value: column === null ? null : toShown(values[column] ?? null),
    reason,
  })
  if (error instanceof ColumnProblem) return of(error.column, error.message)
  if (error instanceof DomainError) {
    const column = findColumn(error.at, values, mapping)
    return of(column, column === null ? error.explanation : error.message)
  }
  if (!(error instanceof ShapeError)) throw error
  const [problem] = error.problems
  const column = findColumn(problem?.loc ?? [], values, mapping)
  return of(column, column === null ? `at ${problem?.loc.join('.')}: ${problem?.msg}` : (problem?.msg ?? error.message))
}

const toShown = (value: Json): string | null =>
  value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)
