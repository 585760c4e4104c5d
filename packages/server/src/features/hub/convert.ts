/** Converts rows of a Parquet file to records for the bulk upsert. Pure. */
import { invalid } from '@postil/domain/errors'
import type { HubMapping } from '@postil/domain/hub'
import type { RecordRules } from '@postil/domain/record-rules'
import type { RecordUpsert } from '@postil/domain/records'
import type { Json } from '@postil/domain/schema'
import { classNames, type HubFeature, isImage, isObject, itemFeature, keyFeature } from './hub-features.ts'

export type Row = Readonly<Record<string, unknown>>

export interface ConvertOptions {
  features: Readonly<Record<string, HubFeature>>
  mapping: HubMapping
  rules: RecordRules
  split: string
}

/** Limit of the values of a row. Values of a dictionary are stored once and referred to by any number of rows. */
const ROW_VALUES_MAX = 16 * 1024 * 1024

/** Returns about how long the row is as JSON. Throws a DomainError if that is more than a row may have. */
export function checkRowSize(row: Row): number {
  const size = sizeOf(row, ROW_VALUES_MAX)
  if (size > ROW_VALUES_MAX) throw invalid(`The row is larger than ${ROW_VALUES_MAX / 1024 ** 2} MiB`)
  return size
}

/** Stops counting beyond the limit. */
export function sizeOf(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length
  if (value instanceof Uint8Array) return Math.ceil((value.length * 4) / 3)
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (typeof value !== 'object' || value === null || value instanceof Date) return 8
  let size = 0
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    size += sizeOf(part, max - size)
    if (size > max) break
  }
  return size
}

/** Converts one row to a record. Throws a DomainError that names the column. */
export function toRecord(row: Row, rowNo: number, { features, mapping, rules, split }: ConvertOptions): RecordUpsert {
  checkRowSize(row)
  const read = (source: string): Json => toJson(row[source], features[source], source)
  const { fields, metadata = [], suggestions = [], external_id } = mapping
  const given = external_id == null ? null : read(external_id)
  return {
    external_id: given === null ? `${split}_${rowNo}` : typeof given === 'string' ? given : JSON.stringify(given),
    fields: Object.fromEntries(readAll(fields, rules.fields, read)) as NonNullable<RecordUpsert['fields']>,
    ...(metadata.length > 0 && { metadata: Object.fromEntries(readAll(metadata, rules.metadata, read)) }),
    ...(suggestions.length > 0 && {
      suggestions: readAll(suggestions, rules.questions, read).map(([name, value]) => ({
        question_id: rules.questions.get(name)?.id ?? '',
        // The shape of items is checked after the conversion.
        value: value as never,
      })),
    }),
  }
}

interface Target {
  type: { column: { read(value: Json): Json } }
}

/** Omits nulls and targets that no longer exist. */
function readAll(
  items: HubMapping['fields'],
  targets: ReadonlyMap<string, Target>,
  read: (source: string) => Json,
): [string, Json][] {
  return items.flatMap(({ source, target }): [string, Json][] => {
    const value = read(source)
    const rule = targets.get(target)
    return rule === undefined || value === null ? [] : [[target, rule.type.column.read(value)]]
  })
}

/** Converts a Parquet value to JSON. */
export function toJson(value: unknown, feature: HubFeature | undefined, column: string): Json {
  if (value === null || value === undefined) return null
  const names = classNames(feature)
  if (names !== null && typeof value !== 'string') return toClassName(value, names, column)
  if (isImage(feature) || isStoredImage(value)) return toImageUrl(value, column)
  if (isObject(value) && !(value instanceof Date) && !(value instanceof Uint8Array)) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toJson(entry, keyFeature(feature, key), column)]))
  }
  if (isList(value)) return Array.from(value, entry => toJson(entry, itemFeature(feature), column))
  return toScalar(value)
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof Uint8Array) && !(value instanceof DataView))

function toScalar(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  // JSON cannot represent infinite numbers and NaN.
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return String(value)
}

/** The library stores a missing label as -1. */
function toClassName(value: unknown, names: readonly string[], column: string): Json {
  const index = Number(value)
  if (index === -1) return null
  const name = names[index]
  if (name === undefined) throw invalid(`Column \`${column}\`: ${index} is not the number of one of its ${names.length} classes`)
  return name
}

/** Detects images in files that lack the library's feature types, by the way the library stores them. */
const isStoredImage = (value: unknown): boolean =>
  isObject(value) &&
  !ArrayBuffer.isView(value) &&
  Object.keys(value).sort().join() === 'bytes,path' &&
  (value.bytes ?? null) !== undefined &&
  hasBytes(value)

const hasBytes = ({ bytes }: Record<string, unknown>) => bytes instanceof Uint8Array

function toImageUrl(value: unknown, column: string): Json {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return toDataUrl(value)
  const { bytes, path } = isObject(value) ? value : {}
  if (bytes instanceof Uint8Array) return toDataUrl(bytes)
  if (typeof path === 'string' && /^https?:/i.test(path)) return path
  if (path == null) return null
  throw invalid(`Column \`${column}\` has the path of an image file, not its bytes: the file cannot be found`)
}

const toDataUrl = (bytes: Uint8Array) => `data:${imageType(bytes)};base64,${Buffer.from(bytes).toString('base64')}`

const SIGNATURES: readonly [type: string, pattern: RegExp][] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/avif', /^[\s\S]{4}ftypavi[fs]/],
  ['image/ico', /^\0\0\x01\0/],
  ['image/svg+xml', /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i],
]

/** Detects the media type by the first bytes. Unknown images are treated as PNG. */
function imageType(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 100)).toString('latin1')
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0] ?? 'image/png'
}
