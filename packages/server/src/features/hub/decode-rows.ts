/** Decodes rows of one row group. The pages are checked when their bytes arrive, before the library sees them. */
import { type AsyncBuffer, type FileMetaData, parquetReadObjects, parquetSchema, type RowGroup, readOffsetIndex } from 'hyparquet'
import type { Row } from './convert.ts'
import { HubRefusal } from './failures.ts'
import { loadCodecs } from './parquet-codecs.ts'
import { openExact, PARSERS } from './parquet-exact.ts'
import { checkSize, DECODED_BYTES_MAX, ParquetDamage, ParquetTooLarge } from './parquet-limits.ts'
import { type CheckedColumn, checkPages, type PageRange, toCheckedColumn } from './parquet-pages.ts'
import { checkThrift } from './parquet-thrift.ts'

const INDEX_VALUES_MAX = 1_000_000

export interface GroupColumns {
  columns: CheckedColumn[]
  /** First row of the group. */
  start: number
}

/** Checks what the footer says about the requested columns of a row group. */
export function checkGroupColumns(
  { metadata, fileSize, path }: { metadata: FileMetaData; fileSize: number; path: string },
  group: RowGroup,
  wanted: readonly string[],
): CheckedColumn[] {
  const tree = parquetSchema(metadata)
  const missing = wanted.find(name => !group.columns.some(({ meta_data }) => meta_data?.path_in_schema[0] === name))
  if (missing !== undefined) throw new HubRefusal(`\`${path}\` is damaged: a row group has no column \`${missing}\``)
  return group.columns.flatMap(({ meta_data: meta }) => {
    if (!meta || !wanted.includes(meta.path_in_schema[0] ?? '')) return []
    return attempt(path, () => {
      const column = toCheckedColumn(meta, tree)
      const { name, start, end, isFlat } = column
      if (!(start >= 0 && start <= end && end <= fileSize)) {
        throw new ParquetDamage(`column \`${name}\` has bytes ${start} to ${end}, beyond the end of the file`)
      }
      if (isFlat && meta.num_values !== group.num_rows) {
        throw new ParquetDamage(
          `a row group has ${group.num_rows} rows, and its column \`${name}\` has ${meta.num_values} values`,
        )
      }
      return [column]
    })
  })
}

interface DecodeOptions {
  file: AsyncBuffer
  metadata: FileMetaData
  path: string
  group: GroupColumns
  columns: string[]
  rowStart: number
  rowEnd: number
  useOffsetIndex?: boolean
}

export async function decodeRows({ file, path, group, ...options }: DecodeOptions): Promise<Row[]> {
  const { rowStart, rowEnd, metadata } = options
  const indexes = options.useOffsetIndex ? listIndexes(metadata, group, path) : []
  const codecs = await loadCodecs()
  const range = { rowStart: rowStart - group.start, rowEnd: rowEnd - group.start, codecs }
  let bytes = 0
  const check = (slice: ArrayBuffer, from: number, to: number) => {
    const isInside = ({ start }: { start: number }) => start >= from && start < to
    const [columns, found] = [group.columns.filter(isInside), indexes.filter(isInside)]
    // The library reads whole columns, or pages from the beginning of a column on.
    if (columns.length + found.length === 0) throw new ParquetDamage(`bytes ${from} to ${to} are not those of a column`)
    for (const index of found) checkIndex(index, slice, from)
    for (const column of columns) {
      const start = column.start - from
      const view = new DataView(slice, start, Math.min(slice.byteLength, to - from, column.end - from) - start)
      bytes += checkColumn(column, view, range)
      checkSize(bytes, `rows ${rowStart + 1} to ${rowEnd}: the requested columns`)
    }
  }
  const checked: AsyncBuffer = {
    byteLength: file.byteLength,
    slice: async (from, to = file.byteLength) => {
      const slice = await file.slice(from, to)
      attempt(path, () => check(slice, from, to))
      return slice
    },
  }
  // `utf8` keeps bytes as bytes unless the schema declares text.
  const exact = attempt(path, () => openExact(metadata))
  const parts = { ...options, metadata: exact.metadata, file: checked, compressors: codecs, utf8: false }
  const rows: Row[] = await parquetReadObjects({ ...parts, parsers: PARSERS })
  return rows.map(exact.toRow)
}

function checkColumn(column: CheckedColumn, view: DataView, range: PageRange): number {
  try {
    return checkPages(column, view, range)
  } catch (error) {
    const words = `column \`${column.name}\`: ${(error as Error).message}`
    throw error instanceof ParquetTooLarge ? new ParquetTooLarge(words) : new ParquetDamage(words)
  }
}

interface OffsetIndexRange {
  start: number
  column: CheckedColumn
}

/** The library trusts offsets of pages: they must be inside their column, and an index must not contain a column. */
function listIndexes({ row_groups }: FileMetaData, { columns }: GroupColumns, path: string): OffsetIndexRange[] {
  const chunks = row_groups.flatMap(group => group.columns)
  return columns.flatMap(column => {
    const { offset_index_offset, offset_index_length = 0 } = chunks.find(({ meta_data }) => meta_data === column.meta) ?? {}
    if (offset_index_offset === undefined) return []
    const start = Number(offset_index_offset)
    const overlaps = columns.some(other => start < other.end && start + offset_index_length > other.start)
    if (overlaps)
      throw new HubRefusal(`\`${path}\` is damaged: the offset index of column \`${column.name}\` overlaps with a column`)
    return [{ start, column }]
  })
}

function checkIndex({ start, column }: OffsetIndexRange, slice: ArrayBuffer, from: number): void {
  const reader = { view: new DataView(slice, start - from), offset: 0 }
  checkThrift(reader, INDEX_VALUES_MAX)
  const isInside = ({ offset, compressed_page_size: size }: { offset: bigint; compressed_page_size: number }) =>
    Number(offset) >= column.start && size >= 0 && Number(offset) + size <= column.end
  if (!readOffsetIndex(reader).page_locations.every(isInside)) {
    throw new ParquetDamage(`the offset index of column \`${column.name}\` has a page outside of the column`)
  }
}

/** Reports the errors of checks; those of `DataView` mean that the bytes end too early. */
export function attempt<T>(path: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof HubRefusal) throw error
    const { message } = error as Error
    throw new HubRefusal(
      error instanceof ParquetTooLarge
        ? `\`${path}\` needs more than ${DECODED_BYTES_MAX / 1024 ** 2} MiB of memory. ${message}. Write it with smaller pages or row groups`
        : `\`${path}\` is damaged: ${message}`,
    )
  }
}
