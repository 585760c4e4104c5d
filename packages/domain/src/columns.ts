/** Values as table columns: how imports convert them, and their type in exports. */
import type { Json } from './schema.ts'

/** `json` is text that contains JSON, for values of any shape. `image` is the bytes of an image, or its location. */
export type ColumnType =
  | 'string'
  | 'bool'
  | 'int64'
  | 'float64'
  | 'timestamp'
  | 'image'
  | 'json'
  | { list: ColumnType }
  | { struct: { [key: string]: ColumnType } }

/** The column of a field, a question or a metadata property. */
export interface Column {
  type: ColumnType
  /**
   * Converts a value of an imported column. Returns a value that it cannot convert unchanged, so that the check of the value
   * reports it.
   */
  read(value: Json): Json
}

/** Returns strings unchanged and other values as JSON. */
export const toColumnText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const toColumnTexts = (value: Json): Json =>
  (Array.isArray(value) ? value : [value]).filter(entry => entry !== null).map(toColumnText)

/** Converts to an integer and truncates fractions. */
export function toColumnInteger(value: Json): Json {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : value
}

/** Removes null keys from structs, also inside lists, because Parquet adds them to rows that lack the key. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => (entry === null ? [] : [[key, withoutNulls(entry)] as const])),
  )
}

/** Kinds of column values, in previews of files and of datasets on a hub. */
export const COLUMN_KINDS = [
  'text',
  'long_text',
  'integer',
  'float',
  'boolean',
  'date',
  'list',
  'chat',
  'vector',
  'image',
  'json',
] as const
export type ColumnKind = (typeof COLUMN_KINDS)[number]
