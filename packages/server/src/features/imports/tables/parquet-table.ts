/** A Parquet file as a table. Only the requested columns are read. */

import { DomainError } from '@postil/domain/errors'
import type { Json } from '@postil/domain/schema'
import { FileGone } from '../../files/read.ts'
import { checkRowSize, toJson } from '../../hub/convert.ts'
import { HubRefusal } from '../../hub/failures.ts'
import { openParquetFile, type ParquetFile } from '../../hub/read-parquet.ts'
import { type ByteFile, type Cursor, LARGE_ROW, refuse, type Table, type TableRow, toColumns, toValues } from './table.ts'

export async function openParquetTable(file: ByteFile): Promise<Table> {
  const parquet = await openParquetFile(
    {
      byteLength: file.size,
      slice: async (start, end = file.size) => {
        const bytes = await file.read(start, Math.min(file.size, end))
        return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
      },
    },
    file.name,
  )
  const problems: string[] = []
  const columns = toColumns(parquet.columns, problems)
  return {
    source: { format: 'parquet' },
    columns,
    problems,
    rowsEstimate: parquet.rows,
    rows: (from, wanted = columns) => readRows(file, parquet, from ?? { row: 0, byte: 0 }, wanted),
  }
}

async function* readRows(
  file: ByteFile,
  parquet: ParquetFile,
  from: Cursor,
  wanted: readonly string[],
): AsyncGenerator<TableRow> {
  let at = from.row
  let byte = from.byte
  while (at < parquet.rows) {
    for (const row of await readSome(parquet, file.name, wanted, at)) {
      at++
      const { size, ...content } = toRow(row, parquet, wanted)
      byte += Math.max(file.size / parquet.rows, size > LARGE_ROW ? size : 0)
      yield { no: at, end: { row: at, byte: Math.floor(byte) }, ...content }
    }
  }
}

async function readSome(parquet: ParquetFile, name: string, wanted: readonly string[], start: number) {
  try {
    return await parquet.read(wanted, start, parquet.rows)
  } catch (error) {
    if (error instanceof HubRefusal || error instanceof FileGone) throw error
    throw refuse(
      `\`${name}\` is damaged, or has values that this release cannot read, from row ${start + 1} on: ${(error as Error).message}`,
    )
  }
}

type RowContent = { size: number } & (
  | Pick<TableRow & { values: null }, 'values' | 'problem'>
  | Pick<TableRow & { problem: null }, 'values' | 'problem'>
)

function toRow(row: Readonly<Record<string, unknown>>, { features }: ParquetFile, wanted: readonly string[]): RowContent {
  const cells: Json[] = []
  let size = 0
  let at: string | null = null
  try {
    size = checkRowSize(row)
    for (const column of wanted) {
      at = column
      cells.push(toJson(row[column], features[column], column))
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { size, values: null, problem: { column: at, value: null, reason: error.message } }
  }
  return { size, values: toValues(wanted, cells), problem: null }
}
