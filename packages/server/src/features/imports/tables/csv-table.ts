/** A CSV or TSV file as a table. */
import { withoutMark } from '@postil/domain/exports/csv'
import type { ImportSource } from '@postil/domain/imports'
import { type CsvCell, type CsvOptions, type CsvRecord, readCsv } from './csv.ts'
import { type ByteFile, type Cursor, refuse, shorten, type Table, type TableRow, toColumns, toValues } from './table.ts'

export type CsvSource = CsvOptions & { format: 'csv' | 'tsv'; header: boolean }

/** `start` is the first byte after a byte order mark. */
export async function openCsvTable(file: ByteFile, source: CsvSource, start: number): Promise<Table> {
  const { first, begin } = await readFirst(file, source, start)
  const problems: string[] = []
  const names = source.header
    ? first.cells.map(cell => withoutMark(cell ?? ''))
    : first.cells.map((_, index) => `column_${index + 1}`)
  const columns = toColumns(names, problems)
  const dataStart = source.header ? first.end : begin
  return {
    source: source satisfies ImportSource,
    columns,
    problems,
    rowsEstimate: null,
    rows: from => readRows(file, source, { columns, isQuoted: first.isQuoted }, from ?? { row: 0, byte: dataStart }),
  }
}

type WholeRecord = CsvRecord & { cells: CsvCell[] }

/** Returns the first record and its position. Some spreadsheet programs write a line `sep=;` before it. */
async function readFirst(file: ByteFile, source: CsvSource, start: number): Promise<{ first: WholeRecord; begin: number }> {
  let begin = start
  for await (const record of readCsv(file, source, start)) {
    if (record.cells === null)
      throw refuse(`The first row cannot be read: ${record.reason}. It begins with \`${shorten(record.shown ?? '', 50)}\``)
    const isMark = begin === start && /^sep=.?$/i.test(record.cells.join(source.separator))
    if (!isMark) return { first: record as WholeRecord, begin }
    begin = record.end
  }
  throw refuse('The file has no rows')
}

interface RowsOptions {
  columns: readonly string[]
  /** True if the program that wrote the file quotes every value. Then `""` is a cell without a value. */
  isQuoted: boolean
}

async function* readRows(
  file: ByteFile,
  source: CsvSource,
  { columns, isQuoted }: RowsOptions,
  from: Cursor,
): AsyncGenerator<TableRow> {
  const toCell = (cell: CsvCell) => (cell === null || (cell === '' && isQuoted) ? null : withoutMark(cell))
  let no = from.row
  for await (const { cells, reason, shown, end } of readCsv(file, source, from.byte)) {
    no++
    const at = { no, end: { row: no, byte: end } }
    if (cells === null) yield { ...at, values: null, problem: { column: null, value: shown, reason: reason ?? '' } }
    else if (cells.length === columns.length) yield { ...at, values: toValues(columns, cells.map(toCell)), problem: null }
    else {
      const counted = `The row has ${cells.length} ${cells.length === 1 ? 'value' : 'values'}; expected ${columns.length}, as many as there are columns`
      yield { ...at, values: null, problem: { column: null, value: cells.join(source.separator), reason: counted } }
    }
  }
}
