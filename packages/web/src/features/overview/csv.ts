/** Table that is shown and saved. */
export type Cell = string | number | null

export interface Sheet {
  columns: string[]
  rows: Cell[][]
  /** True if the first column has ISO dates. They are formatted on the screen, but not in the file. */
  hasDates?: boolean
}

/** Spreadsheets run a cell that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** Starts with a byte order mark, so that spreadsheets read the file as UTF-8. */
export const toCsv = ({ columns, rows }: Sheet): string =>
  `\uFEFF${[columns, ...rows].map(row => row.map(toField).join(',')).join('\r\n')}\r\n`

function toField(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Replaces characters in the names of datasets and questions that are not allowed in file names. */
export const toFileName = (...parts: string[]): string =>
  `${parts
    .join('-')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 100)}.csv`
