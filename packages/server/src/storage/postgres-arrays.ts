/**
 * Encodes lists of values in PostgreSQL's binary array format: a list of any length is one parameter, so that the text of a
 * statement does not depend on its length. In the binary format, text needs no escaping and bytes no hexadecimal digits.
 */
import type { Param } from './database.ts'

/** Element types with their PostgreSQL OIDs. */
const OIDS = { text: 25, bytea: 17, int4: 23, int8: 20, float8: 701 } as const

export type ArrayType = keyof typeof OIDS

export const isArrayType = (name: string): name is ArrayType => Object.hasOwn(OIDS, name)

/** Dimensions, flags, element type, length, lower bound: 4 bytes each. */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const NULL_LENGTH = -1
/** Maximum UTF-8 bytes per UTF-16 code unit of a JavaScript string. */
const UTF8_BYTES_MAX = 3
const INT32_VALUES = 2 ** 32

export function toBinaryArray(type: ArrayType, values: readonly Param[]): Uint8Array {
  const write = WRITERS[type]
  const bytes = Buffer.allocUnsafe(
    HEADER_BYTES + values.reduce((sum: number, value) => sum + LENGTH_BYTES + bytesMaxOf(value), 0),
  )
  bytes.writeInt32BE(1, 0)
  bytes.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  bytes.writeInt32BE(OIDS[type], 8)
  bytes.writeInt32BE(values.length, 12)
  bytes.writeInt32BE(1, 16)
  let end = HEADER_BYTES
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : write(bytes, value, end + LENGTH_BYTES)
    bytes.writeInt32BE(length, end)
    end += LENGTH_BYTES + Math.max(0, length)
  }
  return bytes.subarray(0, end)
}

/** Upper bound for the encoded size; numbers as text are shorter than 32 bytes. */
export function bytesMaxOf(value: Param): number {
  if (typeof value === 'string') return UTF8_BYTES_MAX * value.length
  return value instanceof Uint8Array ? value.length : 32
}

type Value = Exclude<Param, null>

/** Writes a value and returns its length. */
type Write = (bytes: Buffer, value: Value, at: number) => number

const WRITERS: Readonly<Record<ArrayType, Write>> = {
  text: (bytes, value, at) => bytes.write(String(value), at, 'utf8'),
  bytea: (bytes, value, at) => {
    if (!(value instanceof Uint8Array)) throw new TypeError(`${typeof value} in a list of bytes`)
    bytes.set(value, at)
    return value.length
  },
  int4: (bytes, value, at) => bytes.writeInt32BE(Number(value), at) - at,
  int8: (bytes, value, at) => {
    if (typeof value !== 'number') return bytes.writeBigInt64BE(BigInt(value as string | bigint), at) - at
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} in a list of whole numbers`)
    const high = Math.floor(value / INT32_VALUES)
    bytes.writeInt32BE(high, at)
    bytes.writeUInt32BE(value - high * INT32_VALUES, at + 4)
    return 8
  },
  float8: (bytes, value, at) => bytes.writeDoubleBE(Number(value), at) - at,
}
