/** JSON files with a list of objects, at the top level or below a few keys. Only one object at a time is in memory. */
import type { ImportSource } from '@postil/domain/imports'
import { createWindow, readChunks, toShown } from './bytes.ts'
import { collectColumns, toJsonRow } from './json-rows.ts'
import { findList, findValueEnd, skipBlank } from './json-scan.ts'
import { type ByteFile, type Cursor, ROW_BYTES_MAX, refuse, type Table, type TableRow } from './table.ts'

type JsonSource = ImportSource & { format: 'json'; encoding: NonNullable<ImportSource['encoding']> }

const [COMMA, CLOSE] = [0x2c, 0x5d]

export async function openJsonTable(file: ByteFile, given: JsonSource, start: number): Promise<Table> {
  const { path, begin } = await findRows(file, given, start)
  const source = { ...given, path }
  const rows = (from: Cursor | null) => readItems(file, source, from ?? { row: 0, byte: begin })
  const { columns, problems } = await collectColumns(rows(null))
  return { source, columns, problems, rowsEstimate: null, rows }
}

/** Returns the path of the list and the position of its first byte. */
async function findRows(file: ByteFile, { encoding, path }: JsonSource, start: number): Promise<{ path: string; begin: number }> {
  const window = createWindow(readChunks(file, encoding, start), start)
  const wanted = path == null ? null : path === '' ? [] : path.split('.')
  for (;;) {
    const found = findList(window.bytes, wanted)
    if (typeof found === 'object') return { path: found.path.join('.'), begin: window.offset + found.begin }
    if (found === 'none' || window.isEnd) {
      if (wanted !== null && wanted.length > 0) throw refuse(`The file has no list at \`${path}\``)
      throw refuse('The file is not a list of objects, and has none below its keys')
    }
    if (window.bytes.length > ROW_BYTES_MAX) throw refuse(`No list begins within the first ${ROW_BYTES_MAX / 1024 ** 2} MiB`)
    await window.more()
  }
}

async function* readItems(file: ByteFile, { encoding }: JsonSource, from: Cursor): AsyncGenerator<TableRow> {
  const window = createWindow(readChunks(file, encoding, from.byte), from.byte)
  let no = from.row
  for (;;) {
    window.use(skipBlank(window.bytes, 0, COMMA))
    const byte = window.bytes[0]
    if (byte === undefined) {
      if (window.isEnd) throw refuse(`The list of rows has no end: the file is cut off after row ${no}`)
      await window.more()
      continue
    }
    if (byte === CLOSE) return
    const end = findValueEnd(window.bytes, 0)
    if (end === -1) {
      if (window.bytes.length > ROW_BYTES_MAX) throw tooLarge(no + 1, window.bytes)
      if (window.isEnd) throw refuse(`Row ${no + 1} has no end: the file is cut off, or a bracket or quote is missing`)
      await window.more()
      continue
    }
    const item = window.bytes.subarray(0, end)
    window.use(end)
    no++
    yield toJsonRow(item, { no, end: { row: no, byte: window.offset } })
  }
}

const tooLarge = (row: number, bytes: Uint8Array) =>
  refuse(
    `Row ${row} is larger than ${ROW_BYTES_MAX / 1024 ** 2} MiB, or a bracket or quote is missing in it. It begins with \`${toShown(bytes.subarray(0, 50))}\``,
  )
