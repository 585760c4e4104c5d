/** Reads rows of Parquet files window by window: never a whole file, and only the requested columns. */
import { type AsyncBuffer, type FileMetaData, parquetSchema, type RowGroup } from 'hyparquet'
import type { Row } from './convert.ts'
import { checkGroupColumns, decodeRows, type GroupColumns } from './decode-rows.ts'
import { HubRefusal } from './failures.ts'
import { type HubFeature, readFeatures } from './hub-features.ts'
import { readMetadata } from './read-footer.ts'

/** Limit of compressed bytes of the requested columns in one row group, which are in memory together. */
const GROUP_BYTES_MAX = 512 * 1024 * 1024
/** Size of a decoding window: approximate bytes, and maximum rows. */
const WINDOW_BYTES = 32 * 1024 * 1024
const WINDOW_ROWS_MAX = 2_000

export interface ParquetFile {
  rows: number
  columns: readonly string[]
  features: Readonly<Record<string, HubFeature>>
  /** Returns rows from `start` on, at least one and at most up to `end`: as many as one window of a row group contains. */
  read(columns: readonly string[], start: number, end: number): Promise<Row[]>
}

export async function openParquetFile(file: AsyncBuffer, path: string): Promise<ParquetFile> {
  const metadata = await readMetadata(file, path)
  let kept: { group: number; names: string; buffer: AsyncBuffer; checked: GroupColumns } | null = null
  return {
    rows: Number(metadata.num_rows),
    columns: parquetSchema(metadata).children.map(child => child.element.name),
    features: readFeatures(metadata.key_value_metadata),
    read: async (columns, start, end) => {
      const { group, groupStart, groupEnd } = findGroup(metadata, start)
      const windowRows = checkGroup(metadata, group, columns, path)
      const names = columns.join('\0')
      if (kept?.group !== group || kept.names !== names) {
        const place = { metadata, fileSize: file.byteLength, path }
        const checked = { columns: checkGroupColumns(place, metadata.row_groups[group] as RowGroup, columns), start: groupStart }
        kept = { group, names, buffer: cacheSlices(file), checked }
      }
      const rowEnd = Math.min(end, groupEnd, start + windowRows)
      const window = { columns: [...new Set(columns)], rowStart: start, rowEnd }
      const rows = await decodeRows({ file: kept.buffer, metadata, path, group: kept.checked, ...window })
      if (rows.length !== rowEnd - start) throw new HubRefusal(`\`${path}\` is damaged: rows ${start} to ${rowEnd} are missing`)
      return rows
    },
  }
}

function findGroup(metadata: FileMetaData, row: number): { group: number; groupStart: number; groupEnd: number } {
  let groupStart = 0
  for (const [group, { num_rows }] of metadata.row_groups.entries()) {
    const groupEnd = groupStart + Number(num_rows)
    if (row < groupEnd) return { group, groupStart, groupEnd }
    groupStart = groupEnd
  }
  throw new RangeError(`row ${row} is beyond the end of the file`)
}

/** Returns how many rows of the group are decoded at a time. Refuses a group that would take too much memory. */
function checkGroup({ row_groups }: FileMetaData, group: number, columns: readonly string[], path: string): number {
  const { columns: chunks = [], num_rows = 1n } = row_groups[group] ?? {}
  const wanted = chunks.flatMap(({ meta_data }) =>
    meta_data && columns.includes(meta_data.path_in_schema[0] ?? '') ? [meta_data] : [],
  )
  const compressed = wanted.reduce((sum, { total_compressed_size }) => sum + Number(total_compressed_size), 0)
  if (compressed > GROUP_BYTES_MAX) {
    const [size, max] = [compressed, GROUP_BYTES_MAX].map(value => `${Math.ceil(value / 1024 ** 2)} MiB`)
    throw new HubRefusal(`\`${path}\` has a row group of ${size} in the columns of the mapping; expected at most ${max}`)
  }
  const bytes = wanted.reduce((sum, { total_uncompressed_size }) => sum + Number(total_uncompressed_size), 0)
  const bytesOfRow = Math.max(1, bytes / Number(num_rows))
  return Math.max(1, Math.min(WINDOW_ROWS_MAX, Math.floor(WINDOW_BYTES / bytesOfRow)))
}

/** Caches slices, because the next window of the same row group needs the same bytes. */
function cacheSlices(file: AsyncBuffer): AsyncBuffer {
  const slices = new Map<string, Promise<ArrayBuffer>>()
  return {
    byteLength: file.byteLength,
    slice: (start, end) => {
      const key = `${start}-${end}`
      const known = slices.get(key) ?? Promise.resolve(file.slice(start, end))
      slices.set(key, known)
      return known
    },
  }
}
