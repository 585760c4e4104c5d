/** JSON Lines: one object per line. */
import type { ImportSource } from '@postil/domain/imports'
import { createWindow, readChunks, skipLine, toShown } from './bytes.ts'
import { collectColumns, toJsonRow } from './json-rows.ts'
import { skipBlank } from './json-scan.ts'
import { type ByteFile, type Cursor, ROW_BYTES_MAX, type Table, type TableRow } from './table.ts'

type JsonLinesSource = ImportSource & { format: 'jsonl'; encoding: NonNullable<ImportSource['encoding']> }

export async function openJsonLinesTable(file: ByteFile, source: JsonLinesSource, start: number): Promise<Table> {
  const rows = (from: Cursor | null) => readLines(file, source, from ?? { row: 0, byte: start })
  const { columns, problems } = await collectColumns(rows(null))
  return { source, columns, problems, rowsEstimate: null, rows }
}

async function* readLines(file: ByteFile, { encoding }: JsonLinesSource, from: Cursor): AsyncGenerator<TableRow> {
  const window = createWindow(readChunks(file, encoding, from.byte), from.byte)
  let no = from.row
  for (;;) {
    window.use(skipBlank(window.bytes, 0))
    const at = window.bytes.indexOf(0x0a)
    if (at === -1 && !window.isEnd && window.bytes.length <= ROW_BYTES_MAX) {
      await window.more()
      continue
    }
    if (at === -1 && window.bytes.length === 0) return
    const isTooLarge = (at === -1 ? window.bytes.length : at) > ROW_BYTES_MAX
    const line = window.bytes.subarray(0, at === -1 ? undefined : at)
    const shown = isTooLarge ? toShown(line) : null
    if (isTooLarge) await skipLine(window)
    else window.use(at === -1 ? line.length : at + 1)
    no++
    const place = { no, end: { row: no, byte: window.offset } }
    if (!isTooLarge) yield toJsonRow(line, place)
    else {
      const reason = `The line is larger than ${ROW_BYTES_MAX / 1024 ** 2} MiB`
      yield { ...place, values: null, problem: { column: null, value: shown, reason } }
    }
  }
}
