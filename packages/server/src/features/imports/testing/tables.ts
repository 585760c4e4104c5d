/** Files in memory as tables, for tests. */
import { crc32, deflateRawSync } from 'node:zlib'
import type { ImportSource } from '@postil/domain/imports'
import { openTable } from '../tables/open-table.ts'
import type { ByteFile, Cursor, Table, TableRow } from '../tables/table.ts'

export const EXCEL_BYTES_MAX = 32 * 1024 * 1024

export function fileOf(content: string | Uint8Array, name = 'rows'): ByteFile {
  const bytes = Buffer.from(content)
  return { name, size: bytes.length, read: async (start, end) => bytes.subarray(start, end) }
}

export const open = (content: string | Uint8Array, name?: string, source: Partial<ImportSource> | null = null): Promise<Table> =>
  openTable(fileOf(content, name), source, { excelBytesMax: EXCEL_BYTES_MAX })

export async function readAll(table: Table, from: Cursor | null = null): Promise<TableRow[]> {
  return Array.fromAsync(table.rows(from))
}

/** Returns the values of each row in column order; a string is the reason for which a row was rejected. */
export const listRows = async (table: Table, from: Cursor | null = null) =>
  (await readAll(table, from)).map(({ values, problem }) =>
    values === null ? problem.reason : table.columns.map(column => values[column] ?? null),
  )

/** Builds a ZIP archive. */
export function toZip(parts: Record<string, string | Uint8Array>): Buffer {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const [path, bytes] = [Buffer.from(name), Buffer.from(content)]
    const packed = deflateRawSync(bytes)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, path, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), shared, rest, path]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(centrals.length, 4)
  end.writeUInt16LE(centrals.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}

export const toExcel = (sheet: string | Uint8Array, others: Record<string, string | Uint8Array> = {}) =>
  toZip({
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': sheet,
    ...others,
  })
