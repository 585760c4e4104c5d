/**
 * Values that the library would change: decimals become numbers if a number holds all of their digits, otherwise texts; times
 * keep their microseconds and nanoseconds, those without a zone get none, texts keep their first character. Pure.
 */
import { type FileMetaData, type ParquetParsers, parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet'
import type { Row } from './convert.ts'
import { ParquetDamage } from './parquet-limits.ts'
import { toTimeReader } from './parquet-times.ts'

/** Each number with at most this many digits is exact. */
const DIGITS_EXACT = 15
/** More than any writer uses; the digits are written out. */
const SCALE_MAX = 200

/** Keeps a byte order mark at the beginning of a text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const PARSERS: Pick<ParquetParsers, 'stringFromBytes' | 'timestampFromMicroseconds' | 'timestampFromNanoseconds'> = {
  stringFromBytes: bytes => bytes && decoder.decode(bytes),
  timestampFromMicroseconds: micros => toTime(micros, 3),
  timestampFromNanoseconds: nanos => toTime(nanos, 6),
}

/** `digits`: digits of the time after its milliseconds. */
function toTime(time: bigint, digits: number): Date {
  const perMillisecond = 10n ** BigInt(digits)
  const rest = ((time % perMillisecond) + perMillisecond) % perMillisecond
  const date = new Date(Number((time - rest) / perMillisecond))
  if (rest === 0n || Number.isNaN(date.getTime())) return date
  const shown = String(rest).padStart(digits, '0').replace(/0+$/, '')
  // The library expects a date, and hands on what it gets.
  return date.toISOString().replace('Z', `${shown}Z`) as unknown as Date
}

export interface ExactFile {
  /** The metadata with decimals and times declared as the integers that are stored. */
  metadata: FileMetaData
  /** Replaces the integers in a row. */
  toRow(row: Row): Row
}

const opened = new WeakMap<FileMetaData, ExactFile>()

export function openExact(metadata: FileMetaData): ExactFile {
  const known = opened.get(metadata) ?? readExact(metadata)
  opened.set(metadata, known)
  return known
}

function readExact(metadata: FileMetaData): ExactFile {
  const columns = parquetSchema(metadata).children.flatMap((tree): [string, (value: unknown) => unknown][] => {
    const convert = toConverter(tree)
    return convert === null ? [] : [[tree.element.name, convert]]
  })
  if (columns.length === 0) return { metadata, toRow: row => row }
  return {
    metadata: {
      ...metadata,
      schema: metadata.schema.map(element => (toReader(element) === null ? element : withoutType(element))),
    },
    toRow: row => {
      const converted: Record<string, unknown> = { ...row }
      for (const [name, convert] of columns) if (Object.hasOwn(row, name)) converted[name] = convert(row[name])
      return converted
    },
  }
}

const isDecimal = ({ converted_type, logical_type }: SchemaElement) =>
  converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL'

/** Returns null for types that the library reads. */
function toReader(element: SchemaElement): ((value: unknown) => unknown) | null {
  if (element.num_children) return null
  return isDecimal(element) ? toDecimalReader(element) : toTimeReader(element)
}

function withoutType({ converted_type, logical_type, ...element }: SchemaElement): SchemaElement {
  return element
}

/** Returns null for columns without such values. */
function toConverter(tree: SchemaTree): ((value: unknown) => unknown) | null {
  const { element } = tree
  if (tree.children.length === 0) {
    const read = toReader(element)
    return read && inLists(read)
  }
  const [child] = tree.children
  // Rows contain the items of lists and the values of maps without the groups around them.
  if (element.converted_type === 'LIST' && tree.children.length === 1 && child) {
    return toConverter(child.children.length === 1 ? (child.children[0] as SchemaTree) : child)
  }
  if (element.converted_type === 'MAP' && child?.children[1]) {
    const convert = toConverter(child.children[1])
    return (
      convert && inLists(value => Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, convert(item)])))
    )
  }
  const converters = tree.children.flatMap((each): [string, (value: unknown) => unknown][] => {
    const convert = toConverter(each)
    return convert === null ? [] : [[each.element.name, convert]]
  })
  if (converters.length === 0) return null
  return inLists(value => {
    const converted = { ...(value as Record<string, unknown>) }
    for (const [name, convert] of converters) converted[name] = convert(converted[name])
    return converted
  })
}

/** Applies a converter to each item of lists, at any depth. */
function inLists(convert: (value: unknown) => unknown): (value: unknown) => unknown {
  const through = (value: unknown): unknown => {
    if (value === null || value === undefined) return value
    if (Array.isArray(value)) return value.map(through)
    if (ArrayBuffer.isView(value) && !(value instanceof Uint8Array)) return Array.from(value as Int32Array, through)
    return convert(value)
  }
  return through
}

function toDecimalReader({ name, scale, logical_type }: SchemaElement): (value: unknown) => number | string {
  const digits = scale ?? (logical_type?.type === 'DECIMAL' ? logical_type.scale : 0) ?? 0
  if (digits < 0 || digits > SCALE_MAX) throw new ParquetDamage(`column \`${name}\` is a decimal with scale ${digits}`)
  return value => toDecimal(value instanceof Uint8Array ? toInteger(value) : BigInt(value as number | bigint), digits)
}

/** Big-endian, in two's complement. */
function toInteger(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

/** Returns a number if it has all digits of the decimal, otherwise the digits. */
export function toDecimal(unscaled: bigint, scale: number): number | string {
  const sign = unscaled < 0n ? '-' : ''
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  const text = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
  const count = `${whole}${fraction}`.replace(/^0+/, '').length
  return count <= DIGITS_EXACT || String(Number(text)) === text ? Number(text) : text
}
