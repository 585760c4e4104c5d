/** Rows and cells of a sheet. */
import type { Json } from '@postil/domain/schema'
import type { Tag, XmlEvents } from './excel-package.ts'
import { ROW_BYTES_MAX, refuse } from './table.ts'

export interface SheetRow {
  /** Values by zero-based column index; empty cells are absent. */
  cells: Map<number, Json>
  /** Characters of all values, and some for each part. Beyond the limit of a row, further values are omitted. */
  size: number
}

/** Memory of a part of a value, in addition to its characters. A value can have a part per character. */
const PART_SIZE = 16

/** How a number is shown: with its date, as a time of day, or as hours that may be more than 24. */
export type DateKind = 'date' | 'time' | 'duration'

export interface Lookups {
  texts: readonly string[]
  dateStyles: readonly (DateKind | null)[]
  is1904: boolean
}

interface Cell {
  column: number
  type: string
  style: number
  text: string
}

/** Maximum of the Excel format. */
const COLUMN_MAX = 16_384

export function createSheetEvents(lookups: Lookups): { events: XmlEvents; take(): SheetRow[] } {
  let rows: SheetRow[] = []
  let row: SheetRow | null = null
  let cell: Cell | null = null
  let isValue = false
  let next = 0

  const open = ({ name, attributes }: Tag) => {
    if (name === 'row') {
      row = { cells: new Map(), size: 0 }
      next = 0
    }
    if (name === 'c') {
      const column = toColumn(attributes.r) ?? next
      if (column >= COLUMN_MAX) throw refuse(`The sheet has a cell at \`${attributes.r}\`, beyond the last column of Excel`)
      next = column + 1
      cell = { column, type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), text: '' }
    }
    // `v` is the value of a cell, `t` its inline text.
    if (name === 'v' || name === 't') isValue = true
  }
  const close = (name: string) => {
    if (name === 'v' || name === 't') isValue = false
    if (name === 'c' && cell && row) {
      const value = toValue(cell, lookups)
      // Many cells can refer to the same long text.
      if (cell.type === 's' && typeof value === 'string') row.size += value.length
      if (value !== null && row.size <= ROW_BYTES_MAX) row.cells.set(cell.column, value)
      cell = null
    }
    if (name === 'row' && row) {
      rows.push(row)
      row = null
    }
  }
  const text = (some: string) => {
    if (!isValue || !cell || !row) return
    row.size += some.length + PART_SIZE
    if (row.size <= ROW_BYTES_MAX) cell.text += some
  }
  const take = () => {
    const taken = rows
    rows = []
    return taken
  }
  return { events: { open, text, close }, take }
}

/** Converts a cell reference to a zero-based column index: `AB12` becomes 27. */
function toColumn(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,7}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return null
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function toValue({ type, style, text }: Cell, { texts, dateStyles, is1904 }: Lookups): Json {
  if (text === '') return null
  if (type === 's') return texts[Number(text)] || null
  if (type === 'b') return text === '1'
  if (type !== 'n') return withCharacters(text)
  const number = Number(text)
  // Other programs than Excel write integers with all their digits.
  if (!Number.isFinite(number) || (/^-?\d+$/.test(text) && !Number.isSafeInteger(number))) return text
  const kind = dateStyles[style] ?? null
  return kind === null ? number : toDate(number, kind, is1904)
}

/** Excel writes characters that XML cannot hold as `_x000D_`. A NUL and half of a surrogate pair stay as they are written. */
export const withCharacters = (text: string): string =>
  text.replace(/_x([0-9A-F]{4})_/gi, (written, code: string) =>
    /^(0000|d[89a-f]..)$/i.test(code) ? written : String.fromCharCode(Number.parseInt(code, 16)),
  )

const DAY_MS = 86_400_000
/** Excel's day numbers of 1970-01-01. */
const DAYS_TO_1970 = { of1900: 25_569, of1904: 24_107 }
/** Excel has a February 29 in 1900, which did not exist: earlier days have a number that is too small by one. */
const WRONG_LEAP_DAY = 60
/** The last date of Excel is 9999-12-31; other numbers are not dates. */
const DATE_END = Date.UTC(10_000, 0, 1)

/** Formats as `2026-11-18`, followed by the time if there is one, or as a time alone. */
function toDate(days: number, kind: DateKind, is1904: boolean): Json {
  if (days < 0 || (!is1904 && Math.floor(days) === WRONG_LEAP_DAY)) return days
  if (kind === 'duration' || (days < 1 && (kind === 'time' || !is1904))) return toTime(Math.round(days * DAY_MS))
  const early = !is1904 && days < WRONG_LEAP_DAY ? 1 : 0
  const ms = Math.round((days + early - (is1904 ? DAYS_TO_1970.of1904 : DAYS_TO_1970.of1900)) * DAY_MS)
  if (ms >= DATE_END) return days
  const text = new Date(ms).toISOString()
  return ms % DAY_MS === 0 ? text.slice(0, 10) : text.replace(/\.000Z$/, '').replace(/Z$/, '')
}

/** Formats as `05:30:00`, with milliseconds if there are any. */
function toTime(ms: number): string {
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60]
  const text = parts.map(part => String(part).padStart(2, '0')).join(':')
  return ms % 1_000 === 0 ? text : `${text}.${String(ms % 1_000).padStart(3, '0')}`
}
