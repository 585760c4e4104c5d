/** Checks encoded values before the library decodes them: a few bytes can stand for billions of values. */
import type { DataReader } from 'hyparquet'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { readVarInt } from 'hyparquet/src/thrift.js'
import { ParquetDamage } from './parquet-limits.ts'
import { skipVarint } from './parquet-thrift.ts'

const DELTA_BLOCK_MAX = 64 * 1024
/** Larger decimals and UUIDs are converted in quadratic time. */
const NUMBER_BYTES_MAX = 64

export interface EncodedValues {
  encoding: string
  type: string
  /** Length of values of a fixed length. */
  length: number
  count: number
  version: 1 | 2
  /** DECIMAL or UUID. */
  isLongNumber: boolean
}

/** Checks the values at the reader's offset. Returns the bytes that they take in addition to those of the page. */
export function checkValues(reader: DataReader, values: EncodedValues): number {
  const { encoding, type, count, version } = values
  const isFlags = encoding === 'RLE' && (version === 2 || type === 'BOOLEAN')
  if (isFlags) checkRuns({ view: reader.view, offset: reader.offset + 4 }, 1, count)
  else if (encoding === 'RLE' || encoding.endsWith('_DICTIONARY')) {
    if (count === 0) return 0
    const width = reader.view.getUint8(reader.offset)
    // The library reads nothing more of a page of version 1 whose indexes have no bits.
    if (width > 0 || version === 2) checkRuns({ view: reader.view, offset: reader.offset + 1 }, width, count)
  } else if (encoding === 'DELTA_BINARY_PACKED') checkDeltas(reader, count)
  else if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') checkLengths(readDeltas(reader, count), reader, values)
  else if (encoding === 'DELTA_BYTE_ARRAY') return checkPrefixes(reader, values)
  else if (encoding === 'PLAIN' && type === 'BYTE_ARRAY') checkTexts(reader, values)
  else checkFixed(reader, values)
  return 0
}

/** Checks runs of levels or indexes. The library writes a run to its end, even if the page has fewer values. */
export function checkRuns({ view, offset }: DataReader, width: number, count: number): void {
  const at = { view, offset }
  for (let seen = 0; seen < count; ) {
    const header = readVarInt(at)
    const isPacked = (header & 1) === 1
    const units = header >>> 1
    const values = isPacked ? units * 8 : units
    const size = isPacked ? Math.max(1, units * width) : (width + 7) >> 3
    // The last packed run may have more values than the page, but their bytes must be there.
    const isTooLong = !isPacked
      ? values > count - seen
      : width === 0
        ? values > count - seen + 7
        : size > view.byteLength - at.offset
    if (isTooLong) throw new ParquetDamage(`it has a run of ${values} values; expected at most ${count - seen}`)
    at.offset += size
    seen += values
  }
}

/** Reads levels after checking them. */
export function readLevels(reader: DataReader, max: number, count: number, length?: number): Uint8Array {
  const width = 32 - Math.clz32(max)
  const levels = new Uint8Array(count)
  checkRuns({ view: reader.view, offset: reader.offset + (length === undefined ? 4 : 0) }, width, count)
  readRleBitPackedHybrid(reader, width, levels, length)
  return levels
}

/** Checks the structure of deltas: each block must take bytes, and end. */
function checkDeltas({ view, offset }: DataReader, count: number): void {
  const at = { view, offset }
  const [size, parts] = [readVarInt(at), readVarInt(at)]
  if (!(size > 0 && size <= DELTA_BLOCK_MAX && parts > 0 && size % parts === 0)) {
    throw new ParquetDamage(
      `it has deltas in blocks of ${size} values in ${parts} parts; expected at most ${DELTA_BLOCK_MAX} values`,
    )
  }
  for (let skipped = 0; skipped < 2; skipped++) at.offset = skipVarint(at, at.offset)
  for (let seen = 1; seen < count; ) {
    const widths = skipVarint(at, at.offset)
    at.offset = widths + parts
    for (let part = 0; part < parts && seen < count; part++) {
      const width = view.getUint8(widths + part)
      if (width > 64) throw new ParquetDamage(`it has deltas of ${width} bits; expected at most 64`)
      at.offset += Math.ceil((size / parts) * width) / 8
      seen += size / parts
    }
  }
}

function readDeltas(reader: DataReader, count: number): Int32Array {
  checkDeltas(reader, count)
  const values = new Int32Array(count)
  deltaBinaryUnpack(reader, count, values)
  return values
}

/** The library reads values beyond the end of their page if other pages follow, so that many values can share bytes. */
function checkLengths(lengths: Int32Array, { view, offset }: DataReader, values: EncodedValues): void {
  let left = view.byteLength - offset
  for (const length of lengths) {
    checkNumber(length, values)
    left -= length
    if (length < 0 || left < 0) throw new ParquetDamage(`it has a value of ${length} bytes that reaches beyond its page`)
  }
}

function checkPrefixes(reader: DataReader, values: EncodedValues): number {
  const [prefixes, suffixes] = [readDeltas(reader, values.count), readDeltas(reader, values.count)]
  checkLengths(suffixes, reader, values)
  let [bytes, last] = [0, 0]
  for (const [index, prefix] of prefixes.entries()) {
    if (prefix < 0 || prefix > last) throw new ParquetDamage(`it has a prefix of ${prefix} bytes; expected at most ${last}`)
    last = prefix + (suffixes[index] ?? 0)
    checkNumber(last, values)
    bytes += last
  }
  return bytes
}

function checkTexts({ view, offset }: DataReader, values: EncodedValues): void {
  let at = offset
  if (values.count * 4 > view.byteLength - offset) throw tooMany(values, view.byteLength - offset)
  for (let index = 0; index < values.count; index++) {
    const length = view.getUint32(at, true)
    checkNumber(length, values)
    at += 4 + length
    if (at > view.byteLength) throw new ParquetDamage(`it has a value of ${length} bytes that reaches beyond its page`)
  }
}

const BITS: Readonly<Record<string, number>> = { BOOLEAN: 1, INT32: 32, FLOAT: 32, INT64: 64, DOUBLE: 64, INT96: 96 }

function checkFixed({ view, offset }: DataReader, values: EncodedValues): void {
  checkNumber(values.type === 'FIXED_LEN_BYTE_ARRAY' ? values.length : 0, values)
  const bits = BITS[values.type] ?? 8 * values.length
  const left = view.byteLength - offset
  if (!(bits > 0) || values.count * bits > left * 8) throw tooMany(values, left)
}

const tooMany = ({ count }: EncodedValues, bytes: number) => new ParquetDamage(`it has ${count} values in ${bytes} bytes`)

function checkNumber(length: number, { isLongNumber }: EncodedValues): void {
  if (isLongNumber && length > NUMBER_BYTES_MAX) {
    throw new ParquetDamage(`it has a DECIMAL or UUID of ${length} bytes; expected at most ${NUMBER_BYTES_MAX}`)
  }
}
