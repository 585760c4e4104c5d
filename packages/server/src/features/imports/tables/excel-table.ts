/** A sheet of an Excel file as a table. Rows are streamed; shared strings are in memory. */
import type { ImportSource } from '@postil/domain/imports'
import { COLUMNS_MAX } from '@postil/domain/imports'
import type { Json } from '@postil/domain/schema'
import { type ExcelPackage, openPackage } from './excel-package.ts'
import { readDateStyles, readTexts, readWorkbook } from './excel-parts.ts'
import { createSheetEvents, type SheetRow } from './excel-sheet.ts'
import {
  type ByteFile,
  type Cursor,
  LARGE_ROW,
  ROW_BYTES_MAX,
  refuse,
  shorten,
  type Table,
  type TableRow,
  toColumns,
  toValues,
} from './table.ts'

const ROW_MIB = ROW_BYTES_MAX / 1024 ** 2

type ExcelOptions = Pick<Partial<ImportSource>, 'sheet' | 'header'> | null

export async function openExcelTable(file: ByteFile, given: ExcelOptions, bytesMax: number): Promise<Table> {
  const excel = await openPackage(file)
  const { sheets, is1904 } = await readWorkbook(excel)
  const names = sheets.map(({ name }) => name)
  const sheet = given?.sheet == null ? sheets[0] : sheets.find(({ name }) => name === given.sheet)
  if (!sheet) throw refuse(`The file has no sheet \`${given?.sheet}\`. Sheets: ${shorten(names.join(', '), 500)}`)
  const lookups = { texts: await readTexts(excel, bytesMax), dateStyles: await readDateStyles(excel), is1904 }
  const read = () => readSheet(excel, sheet.part, lookups, bytesMax)

  const first = await readFirst(read())
  if (!first) throw refuse(`Sheet \`${sheet.name}\` has no rows`)
  const header = given?.header ?? true
  if (first.size > ROW_BYTES_MAX) throw refuse(`The first row of sheet \`${sheet.name}\` is larger than ${ROW_MIB} MiB`)
  const width = Math.max(-1, ...first.cells.keys()) + 1
  if (width > COLUMNS_MAX) throw refuse(`The sheet has ${width} columns; expected at most ${COLUMNS_MAX}`)
  const cells = Array.from({ length: width }, (_, index) => first.cells.get(index) ?? null)
  const problems: string[] = []
  const columns = toColumns(header ? cells.map(toName) : cells.map((_, index) => `column_${index + 1}`), problems)
  const source = { format: 'excel' as const, sheet: sheet.name, header }
  const rows = (from: Cursor | null) => toRows(read(), { columns, header, size: file.size, from: from?.row ?? 0 })
  return { source, sheets: names, columns, problems, rowsEstimate: null, rows }
}

async function readFirst(rows: AsyncGenerator<ReadRow>): Promise<SheetRow | null> {
  // Leaving the loop closes the part.
  for await (const { row } of rows) return row
  return null
}

const toName = (cell: Json) => (cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell))

interface ReadRow {
  row: SheetRow
  /** Share of the sheet read so far, from 0 to 1. */
  share: number
}

/** Streams the rows that have at least one value. */
async function* readSheet(
  excel: ExcelPackage,
  part: string,
  lookups: Parameters<typeof createSheetEvents>[0],
  bytesMax: number,
): AsyncGenerator<ReadRow> {
  const { events, take } = createSheetEvents(lookups)
  for await (const share of excel.parse(part, events, bytesMax)) {
    for (const row of take()) if (hasContent(row)) yield { row, share }
  }
  for (const row of take()) if (hasContent(row)) yield { row, share: 1 }
}

/** A row that is too large may have lost all its values. */
const hasContent = ({ cells, size }: SheetRow) => cells.size > 0 || size > ROW_BYTES_MAX

interface RowsOptions {
  columns: readonly string[]
  header: boolean
  size: number
  /** Rows already processed. A compressed stream can only be read from its start, so they are skipped. */
  from: number
}

async function* toRows(read: AsyncGenerator<ReadRow>, { columns, header, size, from }: RowsOptions): AsyncGenerator<TableRow> {
  let no = header ? -1 : 0
  /** Large rows count with their own size, because a small file can have many. */
  let large = 0
  for await (const { row, share } of read) {
    no++
    if (row.size > LARGE_ROW) large += row.size
    if (no <= from) continue
    const place = { no, end: { row: no, byte: Math.floor(size * share) + large } }
    const width = Math.max(...row.cells.keys()) + 1
    if (row.size > ROW_BYTES_MAX) {
      const reason = `The row is larger than ${ROW_MIB} MiB`
      yield { ...place, values: null, problem: { column: null, value: null, reason } }
    } else if (width <= columns.length) {
      yield {
        ...place,
        values: toValues(
          columns,
          columns.map((_, index) => row.cells.get(index) ?? null),
        ),
        problem: null,
      }
    } else {
      const reason = `The row has ${width} values; expected at most ${columns.length}, as many as there are columns`
      const value = [...row.cells.values()].slice(0, 20).map(toName).join(', ')
      yield { ...place, values: null, problem: { column: null, value, reason } }
    }
  }
}
