/** Reads the first rows of a Parquet file for a preview. Reads few bytes and omits large columns. */
import type { AsyncBuffer, FileMetaData } from 'hyparquet'
import type { Row } from './convert.ts'
import { checkGroupColumns, decodeRows } from './decode-rows.ts'
import { HubRefusal, HubUnavailable } from './failures.ts'

/** Limit of compressed bytes of the columns read. */
const PEEK_BYTES_MAX = 24 * 1024 * 1024
/** Limit of uncompressed bytes, as the file declares them. The pages are checked when they are read. */
const PEEK_MEMORY_MAX = 128 * 1024 * 1024

export interface Peek {
  rows: Row[]
  /** Omitted columns, with the size of their first row group. */
  tooLarge: Map<string, number>
}

interface PeekOptions {
  file: AsyncBuffer
  metadata: FileMetaData
  path: string
  rowsMax: number
}

export async function peek({ file, metadata, path, rowsMax }: PeekOptions): Promise<Peek> {
  const [group] = metadata.row_groups
  if (!group || Number(group.num_rows) === 0) return { rows: [], tooLarge: new Map() }
  const sizes = sizesOf(group)
  const tooLarge = new Map<string, number>()
  const columns: string[] = []
  let [bytes, memory] = [0, 0]
  // Small columns first, so that a large one does not displace the others.
  for (const [name, size] of [...sizes].sort(([, a], [, b]) => a.memory - b.memory)) {
    if (bytes + size.bytes > PEEK_BYTES_MAX || memory + size.memory > PEEK_MEMORY_MAX) tooLarge.set(name, size.bytes)
    else {
      columns.push(name)
      bytes += size.bytes
      memory += size.memory
    }
  }
  const rowEnd = Math.min(rowsMax, Number(group.num_rows))
  if (columns.length === 0) return { rows: Array.from({ length: rowEnd }, () => ({})), tooLarge }
  const checked = { columns: checkGroupColumns({ metadata, fileSize: file.byteLength, path }, group, columns), start: 0 }
  const options = { file, metadata, path, group: checked, columns, rowStart: 0, rowEnd, useOffsetIndex: true }
  const rows = await decode(path, () => decodeRows(options))
  return { rows, tooLarge }
}

async function decode(path: string, read: () => Promise<Row[]>): Promise<Row[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof HubRefusal || error instanceof HubUnavailable) throw error
    throw new HubRefusal(`\`${path}\` cannot be read: ${(error as Error).message}`)
  }
}

/** By column name; a nested column has several chunks. */
function sizesOf({ columns }: FileMetaData['row_groups'][number]): Map<string, { bytes: number; memory: number }> {
  const sizes = new Map<string, { bytes: number; memory: number }>()
  for (const { meta_data } of columns) {
    const name = meta_data?.path_in_schema[0]
    if (meta_data === undefined || name === undefined) continue
    const { bytes, memory } = sizes.get(name) ?? { bytes: 0, memory: 0 }
    const added = [meta_data.total_compressed_size, meta_data.total_uncompressed_size].map(Number) as [number, number]
    sizes.set(name, { bytes: bytes + added[0], memory: memory + added[1] })
  }
  return sizes
}
