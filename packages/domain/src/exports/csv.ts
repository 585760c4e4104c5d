/**
 * CSV rows (RFC 4180). Spreadsheets run cells that start with certain characters as formulas, so such texts are marked. Numbers
 * are unchanged, even as text. An empty text is quoted, no value is not.
 */
import type { Json } from '../schema.ts'

/** Byte order mark, so that spreadsheets read the file as UTF-8. */
export const CSV_BOM = '\ufeff'

/** Includes the full-width forms, which Japanese spreadsheets treat like the ASCII characters. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i
const QUOTED = /^$|[",\r\n]/

/**
 * Before a text that would be a formula: an apostrophe and an invisible character (U+2060), so that imports can remove the mark
 * without changing texts that begin with an apostrophe.
 */
const MARK = "'\u2060"

export const toCsvRow = (cells: readonly (Json | undefined)[]): string => `${cells.map(toCell).join()}\r\n`

export const toCsv = (rows: readonly (readonly Json[])[]): string => CSV_BOM + rows.map(toCsvRow).join('')

function toCell(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return quote(typeof value === 'string' ? withMark(value) : JSON.stringify(value))
}

const withMark = (text: string): string => {
  const isFormula = FORMULA.test(text) && !NUMBER.test(text)
  return isFormula || text.startsWith(MARK) ? MARK + text : text
}

/** Removes the mark from the text of a cell. */
export const withoutMark = (text: string): string => (text.startsWith(MARK) ? text.slice(MARK.length) : text)

const quote = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
