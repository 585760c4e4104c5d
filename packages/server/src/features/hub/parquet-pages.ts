/**
 * Checks the pages of a column before the library decodes them, and computes how much memory that takes. A page declares its size
 * and its number of values itself, and the library allocates what it declares.
 */
import type { ColumnChunk, Compressors, DataReader, PageHeader, SchemaTree } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath, isFlatColumn } from 'hyparquet/src/schema.js'
import { HubRefusal } from './failures.ts'
import { checkValues, readLevels } from './parquet-encodings.ts'
import { checkSize, ParquetDamage } from './parquet-limits.ts'
import { checkThrift } from './parquet-thrift.ts'

const HEADER_VALUES_MAX = 1_000
/** Memory of a value in the arrays that the library builds; of a list; and of a value that is an object. */
const VALUE_BYTES = 48
const LIST_BYTES = 200
const OBJECT_BYTES: Readonly<Record<string, number>> = { BYTE_ARRAY: 160, FIXED_LEN_BYTE_ARRAY: 160, INT96: 160, INT64: 32 }
const DATE_BYTES = 160
const JSON_ITEM_BYTES = 128
/** Memory per byte of a shape, which becomes objects and lists of numbers. */
const SHAPE_FACTOR = 12

interface Page {
  header: PageHeader
  /** First byte after the header, in the column. */
  start: number
  values: number
  rowStart: number
  rowEnd: number
  /** Null until it is needed. */
  bytes: number | null
}

export interface CheckedColumn {
  name: string
  /** Bytes of the file. */
  start: number
  end: number
  meta: NonNullable<ColumnChunk['meta_data']>
  path: SchemaTree[]
  isFlat: boolean
  pages: Page[]
  /** End of the known pages: byte of the column, and row. */
  offset: number
  rows: number
}

export function toCheckedColumn(meta: CheckedColumn['meta'], tree: SchemaTree): CheckedColumn {
  const path = getTreePath(tree, meta.path_in_schema)
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset)
  const end = start + Number(meta.total_compressed_size)
  const name = meta.path_in_schema.join('.')
  // A value of this type can be of any size: its parts are found by their offsets.
  if (path.some(({ element }) => element.logical_type?.type === 'VARIANT')) {
    throw new HubRefusal(`Column \`${name}\` has the type VARIANT, which this release cannot read`)
  }
  return { name, start, end, meta, path, isFlat: isFlatColumn(path), pages: [], offset: 0, rows: 0 }
}

export interface PageRange {
  /** Rows of the row group. */
  rowStart: number
  rowEnd: number
  codecs: Compressors
}

/** Checks the pages that the library decodes for these rows of the row group. Returns how much memory they take. */
export function checkPages(column: CheckedColumn, view: DataView, { rowStart, rowEnd, codecs }: PageRange): number {
  let bytes = 0
  for (let index = 0; ; index++) {
    const isKnown = index < column.pages.length
    if (column.isFlat && (column.pages[index]?.rowStart ?? column.rows) >= rowEnd) break
    if (!isKnown && column.offset >= view.byteLength - 1) break
    const page = column.pages[index] ?? readHeader(column, view)
    // Only pages of columns that are not nested are skipped.
    if (column.isFlat && page.rowEnd < rowStart) continue
    page.bytes ??= measurePage(column, page, { view, codecs })
    bytes += page.bytes
  }
  if (column.rows < rowEnd) throw new ParquetDamage(`it has values of ${column.rows} rows; expected at least ${rowEnd}`)
  return bytes
}

function readHeader(column: CheckedColumn, view: DataView): Page {
  const reader = { view, offset: column.offset }
  checkThrift(reader, HEADER_VALUES_MAX)
  const header = parquetHeader(reader)
  const { uncompressed_page_size: size, compressed_page_size: packed, data_page_header_v2: second } = header
  const values = (header.data_page_header ?? header.dictionary_page_header ?? second)?.num_values ?? -1
  const isWrong = [size, packed, values].some(count => !(count >= 0)) || packed > view.byteLength - reader.offset
  if (isWrong) throw new ParquetDamage(`it has a page of ${values} values, with ${packed} bytes that unpack to ${size}`)
  checkSize(size, 'a page')
  checkSize(values * VALUE_BYTES, `a page of ${values} values`)
  if (second && column.isFlat && second.num_rows !== values) {
    throw new ParquetDamage(`it has a page of ${second.num_rows} rows with ${values} values`)
  }
  // Rows of a nested column are counted with its levels.
  const rows = header.type === 'DICTIONARY_PAGE' || !column.isFlat ? 0 : values
  const page = { header, start: reader.offset, values, rowStart: column.rows, rowEnd: column.rows + rows, bytes: null }
  column.pages.push(page)
  column.offset = reader.offset + packed
  column.rows += rows
  return page
}

function measurePage(column: CheckedColumn, page: Page, { view, codecs }: { view: DataView; codecs: Compressors }): number {
  const { header, start } = page
  const bytes = new Uint8Array(view.buffer, view.byteOffset + start, header.compressed_page_size)
  if (header.data_page_header_v2) return measureSecond(column, page, { bytes, codecs })
  const unpacked = decompressPage(bytes, header.uncompressed_page_size, column.meta.codec, codecs)
  const reader = readerOf(unpacked)
  const isDictionary = header.type === 'DICTIONARY_PAGE'
  const { repetitions, definitions } = isDictionary ? { repetitions: 0, definitions: 0 } : levelsOf(column)
  const repeated = repetitions > 0 ? readLevels(reader, repetitions, page.values) : null
  const defined = definitions > 0 ? readLevels(reader, definitions, page.values) : null
  const count = defined === null ? page.values : defined.reduce((sum, level) => sum + (level === definitions ? 1 : 0), 0)
  const encoding = isDictionary ? 'PLAIN' : (header.data_page_header?.encoding ?? '')
  return measure(column, page, { reader, encoding, count, version: 1 }) + measureLists(column, page, repeated, defined)
}

/** The levels of a page of version 2 are not compressed. */
function measureSecond(column: CheckedColumn, page: Page, { bytes, codecs }: { bytes: Uint8Array; codecs: Compressors }): number {
  const { uncompressed_page_size: size, data_page_header_v2: header } = page.header
  const { repetition_levels_byte_length: first = -1, definition_levels_byte_length: second = -1, num_nulls = -1 } = header ?? {}
  if (!(first >= 0 && second >= 0 && first + second <= Math.min(size, bytes.length))) {
    throw new ParquetDamage(`it has levels of ${first} and ${second} bytes in a page of ${bytes.length} bytes`)
  }
  const { repetitions, definitions } = levelsOf(column)
  if (!(num_nulls >= 0 && num_nulls <= page.values) || (definitions === 0 && num_nulls > 0)) {
    throw new ParquetDamage(`it has a page of ${page.values} values with ${num_nulls} nulls`)
  }
  const reader = readerOf(bytes)
  const repeated = repetitions > 0 ? readLevels(reader, repetitions, page.values, first) : null
  reader.offset = first
  const defined = definitions > 0 ? readLevels(reader, definitions, page.values, second) : null
  let values = bytes.subarray(reader.offset)
  if (header?.is_compressed !== false) values = decompressPage(values, size - first - second, column.meta.codec, codecs)
  const options = {
    reader: readerOf(values),
    encoding: header?.encoding ?? '',
    count: page.values - num_nulls,
    version: 2,
  } as const
  return measure(column, page, options) + measureLists(column, page, repeated, defined)
}

const readerOf = (bytes: Uint8Array): DataReader => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
})

const levelsOf = ({ path }: CheckedColumn) => ({
  repetitions: getMaxRepetitionLevel(path),
  definitions: getMaxDefinitionLevel(path),
})

interface PageValues {
  reader: DataReader
  encoding: string
  count: number
  version: 1 | 2
}

/** Checks the values of a page, and returns the memory of the page and its values. */
function measure({ meta, path }: CheckedColumn, page: Page, { reader, ...values }: PageValues): number {
  const { type } = meta
  const { converted_type: converted = '', logical_type, type_length: length = 0 } = path.at(-1)?.element ?? {}
  const logical = logical_type?.type ?? ''
  const isLongNumber = converted === 'DECIMAL' || logical === 'UUID'
  const extra = checkValues(reader, { ...values, type, length, isLongNumber })
  const size = page.header.uncompressed_page_size + extra
  const arrays = page.values * VALUE_BYTES + size
  // Indexes refer to the values of the dictionary.
  if (values.encoding.endsWith('_DICTIONARY')) return arrays
  const isDate = /^(DATE|TIME)/.test(converted) || logical === 'TIMESTAMP'
  const objects = values.count * (isDate ? DATE_BYTES : (OBJECT_BYTES[type] ?? 0))
  if (converted === 'JSON') return arrays + objects + 2 * size + JSON_ITEM_BYTES * countItems(reader.view)
  if (logical.startsWith('GEO')) return arrays + objects + SHAPE_FACTOR * size
  // A text may take two bytes per character.
  const isText = converted === 'UTF8' || logical === 'STRING'
  return arrays + objects + (isText ? 2 * size : 0)
}

/** Counts the characters that begin a list, an object or a further item. */
function countItems(view: DataView): number {
  let count = 0
  for (const byte of new Uint8Array(view.buffer, view.byteOffset, view.byteLength)) {
    if (byte === 0x5b || byte === 0x7b || byte === 0x2c || byte === 0x3a) count++
  }
  return count
}

/**
 * Returns the memory of the lists that the library builds: for each value, those below its repetition level. Counts the rows of a
 * nested column.
 */
function measureLists(column: CheckedColumn, page: Page, repeated: Uint8Array | null, defined: Uint8Array | null): number {
  if (column.isFlat || page.header.type === 'DICTIONARY_PAGE') return 0
  const inner = column.path.slice(1).map(({ element }) => element.repetition_type)
  if (inner.at(-1) !== 'REPEATED') inner.pop()
  const listsFrom = [inner.filter(type => type !== 'REQUIRED').length]
  for (const [index, type] of inner.entries()) {
    if (type === 'REPEATED') listsFrom.push(inner.slice(index + 1).filter(each => each !== 'REQUIRED').length)
  }
  const { definitions } = levelsOf(column)
  let lists = 0
  for (let index = 0; index < page.values; index++) {
    const level = repeated?.[index] ?? 0
    if (level === 0) column.rows++
    lists += (listsFrom[level] ?? 0) + (defined !== null && defined[index] !== definitions ? 1 : 0)
  }
  return lists * LIST_BYTES
}
