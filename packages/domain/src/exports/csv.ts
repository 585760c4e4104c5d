/**
 * CSV rows (RFC 4180). Spreadsheets run cells that start with certain characters as formulas, so such texts get a leading
 * apostrophe. Numbers are unchanged, even as text.
 */
import type { Json } from '../schema.ts'

/** Byte order mark, so that spreadsheets read the file as UTF-8. */
export const CSV_BOM = '\ufeff'

/** Includes the full-width forms, which Japanese spreadsheets treat like the ASCII characters. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i
const QUOTED = /[",\r\n]/

export const toCsvRow = (cells: readonly (Json | undefined)[]): string => `${cells.map(toCell).join()}\r\n`

function toCell(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return quote(typeof value === 'string' ? withoutFormula(value) : JSON.stringify(value))
}

/** Escapes text that a spreadsheet would run as a formula. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)

const quote = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
