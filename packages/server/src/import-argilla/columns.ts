/** Checked values of the source's columns, which may contain anything. */
import { kindOf } from '@postil/domain/message-values'
import type { Id, Json } from '@postil/domain/schema'
import type { SourceRow } from './source.ts'

/** Reason why a row cannot be imported. */
export class RowProblem extends Error {}

const columnProblem = (column: string, what: string) => new RowProblem(`\`${column}\` ${what}`)

/** Ids are 32 hexadecimal digits on SQLite, with dashes on PostgreSQL. */
export function toId(row: SourceRow, column: string): Id {
  const digits = String(row[column] ?? '')
    .replaceAll('-', '')
    .toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(digits)) throw columnProblem(column, 'is not a UUID')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function toText(row: SourceRow, column: string): string {
  const value = row[column]
  // SQLite stores a numeric string as a number if the column type allows it.
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') throw columnProblem(column, `is ${text === null ? 'null' : 'not a text'}`)
  if (text.includes('\0')) throw columnProblem(column, 'holds a null character, which cannot be stored')
  return text
}

export const toNullableText = (row: SourceRow, column: string): string | null =>
  row[column] === null ? null : toText(row, column)

export function toEnum<Word extends string>(row: SourceRow, column: string, words: readonly Word[]): Word {
  const text = toText(row, column)
  const word = words.find(one => one === text)
  if (word === undefined) throw columnProblem(column, `is not one of ${words.join(', ')}`)
  return word
}

export function toBool(row: SourceRow, column: string): boolean {
  const value = row[column]
  if (value === 1 || value === 't') return true
  if (value === 0 || value === 'f') return false
  throw columnProblem(column, 'is not true or false')
}

export function toCount(row: SourceRow, column: string): number {
  const number = Number(row[column])
  if (row[column] === null || !Number.isSafeInteger(number) || number < 0) throw columnProblem(column, 'is not a whole number')
  return number
}

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?$/
/** Times in the far future are refused, because our clock continues from the newest stored time. */
const FUTURE_MS_MAX = 24 * 60 * 60 * 1000

/** Returns UTC with microseconds, as we store it. */
export function toTime(row: SourceRow, column: string): string {
  const [, day, time, fraction = ''] = TIME.exec(String(row[column] ?? '')) ?? []
  const millis = Date.parse(`${day}T${time}Z`)
  if (day === undefined || Number.isNaN(millis)) throw columnProblem(column, 'is not a time')
  if (millis > Date.now() + FUTURE_MS_MAX) throw columnProblem(column, 'is a time in the future')
  return `${day}T${time}.${fraction.padEnd(6, '0')}`
}

export const toTimes = (row: SourceRow) => ({ inserted_at: toTime(row, 'inserted_at'), updated_at: toTime(row, 'updated_at') })

export function toJson(row: SourceRow, column: string): Json {
  const value = row[column]
  // SQLite stores a JSON text that is a number as a number.
  if (typeof value === 'number') return value
  if (typeof value !== 'string') throw columnProblem(column, 'is not JSON')
  try {
    const json = JSON.parse(value)
    // Fails for deeply nested values, which can be parsed but not serialized.
    JSON.stringify(json)
    return json
  } catch {
    // For example NaN and Infinity, which Python writes but JSON does not allow.
    throw columnProblem(column, 'is not JSON')
  }
}

export type JsonObject = { [key: string]: Json }

export function toObject(row: SourceRow, column: string): JsonObject {
  const json = toJson(row, column)
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw columnProblem(column, `is ${kindOf(json)}, not an object`)
  return json
}

/** SQL null and JSON null are equivalent here. */
export function toNullableJson(row: SourceRow, column: string): Json {
  return row[column] === null ? null : toJson(row, column)
}

export const toNullableObject = (row: SourceRow, column: string): JsonObject | null =>
  toNullableJson(row, column) === null ? null : toObject(row, column)
