/** Common interface of all file formats: rows with values by column, each with the cursor at which reading can continue. */
import { COLUMN_NAME_MAX, COLUMNS_MAX, type ImportSource } from '@postil/domain/imports'
import type { Json } from '@postil/domain/schema'
import { HubRefusal } from '../../hub/failures.ts'

/** Larger rows are rejected. */
export const ROW_BYTES_MAX = 16 * 1024 * 1024
/**
 * A larger row counts with its own size, not its share of the file: the position limits how many rows are kept in memory, and a
 * file of a few bytes can repeat a large value in each row.
 */
export const LARGE_ROW = 256 * 1024
/** Bytes at the start of a file that are read to detect its format. */
export const HEAD_BYTES = 1024 * 1024

/** Random access to the bytes of a file, independent of where it is stored. */
export interface ByteFile {
  name: string
  size: number
  /** Reads at most up to the end of the file. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** Position at which to continue. `byte` is the position in the file, or an approximation for formats that are read by row. */
export interface Cursor {
  /** Number of rows before the position. */
  row: number
  byte: number
}

/** Values by column. Objects have no prototype, because a column may be called `__proto__`. */
export type Values = { readonly [column: string]: Json }

export interface RowProblem {
  column: string | null
  value: string | null
  reason: string
}

export type TableRow = {
  /** Row number, starting at 1. */
  no: number
  end: Cursor
} & ({ values: Values; problem: null } | { values: null; problem: RowProblem })

export interface Table {
  /** Options given in the request, completed by detection. */
  source: ImportSource
  sheets?: string[]
  columns: readonly string[]
  /** Warnings to show before an import. */
  problems: readonly string[]
  rowsEstimate: number | null
  /** Streams the rows after `from`, or all rows without it. `wanted` lists the columns needed; formats may return more. */
  rows(from: Cursor | null, wanted?: readonly string[]): AsyncGenerator<TableRow>
}

/** The file cannot be imported. The message is shown to the user who sent it. */
export const refuse = (message: string) => new HubRefusal(message)

/** Returns a unique name for each column. Throws if there are too many columns or none. */
export function toColumns(given: readonly string[], problems: string[]): string[] {
  if (given.length > COLUMNS_MAX) throw refuse(`The file has ${given.length} columns; expected at most ${COLUMNS_MAX}`)
  const taken = new Set(given.map(name => name.trim()))
  const used = new Set<string>()
  return given.map((raw, index) => {
    const name = raw.trim()
    if (name.length > COLUMN_NAME_MAX) {
      throw refuse(`The name of column ${index + 1} has ${name.length} characters; expected at most ${COLUMN_NAME_MAX}`)
    }
    if (name.includes('\0')) throw refuse(`The name of column ${index + 1} has a NUL character`)
    if (name !== '' && !used.has(name)) {
      used.add(name)
      return name
    }
    const chosen = freeName(name === '' ? `column_${index + 1}` : name, name === '' ? 1 : 2, taken, used)
    problems.push(
      name === ''
        ? `Column ${index + 1} has no name; it is called \`${chosen}\``
        : `Column ${index + 1} is the second \`${name}\`; it is called \`${chosen}\``,
    )
    used.add(chosen)
    return chosen
  })
}

function freeName(base: string, first: number, taken: ReadonlySet<string>, used: ReadonlySet<string>): string {
  for (let number = first; ; number++) {
    const name = number === 1 ? base : `${base}_${number}`
    if (!taken.has(name) && !used.has(name)) return name
  }
}

/** Builds an object without a prototype. */
export function toValues(columns: readonly string[], cells: readonly Json[]): Values {
  const values: { [column: string]: Json } = Object.create(null)
  for (const [index, column] of columns.entries()) values[column] = cells[index] ?? null
  return values
}

export const shorten = (text: string, length = 200): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
