/** Parquet files written by bytes, for tests: they can declare counts and sizes that no writer would. */

/** `[id, type, bytes]` of a field in the compact protocol of Thrift. */
type Field = readonly [id: number, type: number, bytes: Buffer]

export const varint = (value: number | bigint): Buffer => {
  const bytes: number[] = []
  let left = BigInt(value)
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128)
  return Buffer.from([...bytes, Number(left)])
}
export const zigzag = (value: number | bigint): Buffer =>
  varint(BigInt(value) < 0n ? -2n * BigInt(value) - 1n : 2n * BigInt(value))

export const struct = (...fields: (Field | null)[]): Buffer => {
  let last = 0
  const parts = fields.flatMap(field => {
    if (field === null) return []
    const [id, type, bytes] = field
    const head = Buffer.from([((id - last) << 4) | type])
    last = id
    return [head, bytes]
  })
  return Buffer.concat([...parts, Buffer.from([0])])
}
export const i32 = (id: number, value: number | undefined): Field | null => (value === undefined ? null : [id, 5, zigzag(value)])
export const i64 = (id: number, value: number | bigint): Field => [id, 6, zigzag(value)]
export const text = (id: number, value: string): Field => [id, 8, Buffer.concat([varint(value.length), Buffer.from(value)])]
export const sub = (id: number, value: Buffer): Field => [id, 12, value]
export const list = (id: number, type: number, items: Buffer[], size = items.length): Field => [
  id,
  9,
  Buffer.concat([Buffer.from([0xf0 | type]), varint(size), ...items]),
]

export interface Element {
  name: string
  /** 0 BOOLEAN, 1 INT32, 2 INT64, 6 BYTE_ARRAY, 7 FIXED_LEN_BYTE_ARRAY. */
  type?: number
  length?: number
  /** 0 required, 1 optional, 2 repeated. */
  repetition?: number
  children?: number
  /** 0 UTF8, 1 MAP, 3 LIST, 5 DECIMAL, 9 TIMESTAMP_MILLIS, 10 TIMESTAMP_MICROS, 19 JSON. */
  converted?: number
  /** Of a decimal. */
  scale?: number
}

export interface PageOptions {
  /** Number of values that the header declares. */
  values: number
  /** 0 PLAIN, 3 RLE, 5 DELTA_BINARY_PACKED, 6 DELTA_LENGTH_BYTE_ARRAY, 7 DELTA_BYTE_ARRAY, 8 RLE_DICTIONARY, 9 BYTE_STREAM_SPLIT. */
  encoding?: number
  /** Size that the header declares after decompression. */
  size?: number
}

const page = (type: number, bytes: Buffer, size: number | undefined, header: Field) =>
  Buffer.concat([struct(i32(1, type), i32(2, size ?? bytes.length), i32(3, bytes.length), header), bytes])

export const dataPage = (bytes: Buffer, { values, encoding = 0, size }: PageOptions): Buffer =>
  page(0, bytes, size, sub(5, struct(i32(1, values), i32(2, encoding), i32(3, 3), i32(4, 3))))

export const dictionaryPage = (bytes: Buffer, { values, size }: PageOptions): Buffer =>
  page(2, bytes, size, sub(7, struct(i32(1, values), i32(2, 0))))

export interface SecondOptions extends PageOptions {
  nulls?: number
  rows?: number
  definitions?: number
  repetitions?: number
  compressed?: boolean
}

/** Data page of version 2. */
export const dataPage2 = (bytes: Buffer, given: SecondOptions): Buffer => {
  const { values, encoding = 0, size, nulls = 0, rows = values, definitions = 0, repetitions = 0, compressed = false } = given
  const fields = [values, nulls, rows, encoding, definitions, repetitions].map((value, index) => i32(index + 1, value))
  return page(3, bytes, size, sub(8, struct(...fields, [7, compressed ? 1 : 2, Buffer.alloc(0)])))
}

export interface FileOptions {
  /** Schema without its root; one required text column by default. */
  schema?: Element[]
  path?: string[]
  pages: Buffer[]
  /** 0 none, 1 Snappy, 2 GZIP, 4 Brotli, 6 ZSTD, 7 LZ4_RAW. */
  codec?: number
  rows: number | bigint
  values?: number | bigint
  /** Offset at which the column is said to begin. */
  offset?: number
  /** Size of the column, as the footer declares it. */
  size?: number | bigint
  /** Other fields at the end of the footer. */
  extra?: Field[]
  hasDictionary?: boolean
}

export const TEXT: Element = { name: 'text', type: 6, converted: 0 }

/** A file with one row group and one column chunk. */
export function toFile(given: FileOptions): Buffer {
  const { schema = [TEXT], path = ['text'], pages, codec = 0, rows, values = rows, offset = 4, extra = [] } = given
  const chunk = Buffer.concat(pages)
  const roots = schema.length - schema.reduce((sum, { children = 0 }) => sum + children, 0)
  const elements = [{ name: 'root', children: roots }, ...schema].map((element: Element) =>
    struct(
      i32(1, element.type),
      i32(2, element.length),
      i32(3, element.repetition ?? 0),
      text(4, element.name),
      i32(5, element.children),
      i32(6, element.converted),
      i32(7, element.scale),
    ),
  )
  const names = path.map(name => Buffer.concat([varint(name.length), Buffer.from(name)]))
  const type = schema.at(-1)?.type
  const size = given.size ?? chunk.length
  const column = struct(
    i64(2, 0),
    sub(
      3,
      struct(
        i32(1, type),
        list(2, 5, [zigzag(0)]),
        list(3, 8, names),
        i32(4, codec),
        i64(5, values),
        i64(6, chunk.length),
        i64(7, size),
        i64(9, offset),
        given.hasDictionary ? i64(11, offset) : null,
      ),
    ),
  )
  const group = struct(list(1, 12, [column]), i64(2, chunk.length), i64(3, rows))
  const footer = struct(i32(1, 1), list(2, 12, elements), i64(3, rows), list(4, 12, [group]), ...extra)
  const tail = Buffer.alloc(8, 'PAR1PAR1')
  tail.writeUInt32LE(footer.length)
  return Buffer.concat([Buffer.from('PAR1'), chunk, footer, tail])
}

/** Encodes texts as PLAIN. */
export const plain = (...values: (string | Buffer)[]): Buffer =>
  Buffer.concat(values.flatMap(value => [u32(Buffer.byteLength(value)), Buffer.from(value)]))

export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** A run of the RLE encoding, with a value of one byte. */
export const run = (count: number, value: number): Buffer => Buffer.concat([varint(count * 2), Buffer.from([value])])

/** Levels of a page of version 1, with their length. */
export const levels = (bytes: Buffer): Buffer => Buffer.concat([u32(bytes.length), bytes])

export const BILLIONS = 2 ** 31 - 1
export const MIB = 1024 ** 2
export const optional: Element = { ...TEXT, repetition: 1 }
export const numbers: Element = { name: 'text', type: 1 }
export const bytes = (...values: number[]) => Buffer.from(values)
export const one = plain('a')

/** Snappy: a length, then one copy of up to 64 bytes after another. */
export const snappyZeros = (size: number) =>
  Buffer.concat([varint(size), bytes(0, 0), Buffer.alloc(3 * Math.ceil((size - 1) / 64), bytes(0xfe, 1, 0))])
/** ZSTD without a checksum: blocks of 128 KiB, each a byte and its number of repetitions. */
export const zstdZeros = (blocks: number) =>
  Buffer.concat([
    bytes(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38),
    ...Array.from({ length: blocks }, (_, index) => bytes(0x02 | (index === blocks - 1 ? 1 : 0), 0x00, 0x10, 0x00)),
  ])

export const LIST: Element[] = [
  { name: 'text', children: 1, repetition: 1, converted: 3 },
  { name: 'list', children: 1, repetition: 2 },
  { name: 'element', type: 1, repetition: 1 },
]
/** Path of the values of a list. */
export const LIST_PATH = ['text', 'list', 'element']
/** Header of DELTA_BINARY_PACKED: values per block, blocks, values in all, first value. */
export const delta = (size: number, parts: number, count: number, ...rest: Buffer[]) =>
  Buffer.concat([varint(size), varint(parts), varint(count), zigzag(0), ...rest])
