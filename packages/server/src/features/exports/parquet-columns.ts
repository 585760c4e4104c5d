/**
 * Maps column types to Parquet and to the feature types of the hub's library, and converts values for the Parquet writer. Pure.
 */
import type { ColumnType } from '@postil/domain/columns'
import { ownProperty } from '@postil/domain/own-property'
import type { Json } from '@postil/domain/schema'
import type { SchemaElement } from 'hyparquet'

const UTF8 = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const

const LEAVES = {
  string: UTF8,
  json: UTF8,
  bool: { type: 'BOOLEAN' },
  int64: { type: 'INT64' },
  float64: { type: 'DOUBLE' },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
} as const

/** Schema elements of a column. All values are optional. */
export function toElements(name: string, type: ColumnType): SchemaElement[] {
  const repetition_type = 'OPTIONAL'
  if (type === 'image') {
    return [
      { name, repetition_type, num_children: 2 },
      { name: 'bytes', repetition_type, type: 'BYTE_ARRAY' },
      { name: 'path', repetition_type, ...UTF8 },
    ]
  }
  if (typeof type === 'string') return [{ name, repetition_type, ...LEAVES[type] }]
  if ('list' in type) {
    return [
      { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...toElements('element', type.list),
    ]
  }
  const keys = Object.entries(type.struct)
  return [{ name, repetition_type, num_children: keys.length }, ...keys.flatMap(([key, inner]) => toElements(key, inner))]
}

const DTYPES = { string: 'string', json: 'string', bool: 'bool', int64: 'int64', float64: 'float64', timestamp: 'timestamp[us]' }

/** Uses the notation that both old and new versions of the library read. */
export function toFeature(type: ColumnType): Json {
  if (type === 'image') return { _type: 'Image' }
  if (typeof type === 'string') return { dtype: DTYPES[type], _type: 'Value' }
  if ('struct' in type) return Object.fromEntries(Object.entries(type.struct).map(([key, inner]) => [key, toFeature(inner)]))
  const item = toFeature(type.list)
  // A `Sequence` of a struct would become a struct of lists.
  const isStruct = typeof type.list === 'object' && 'struct' in type.list
  return isStruct ? [item] : { feature: item, _type: 'Sequence' }
}

/** Converts a value for the Parquet writer. Null remains null. */
export function toCell(value: Json | undefined, type: ColumnType): unknown {
  if (value === null || value === undefined) return null
  if (typeof type === 'string') return SCALARS[type](value)
  if ('list' in type) return (Array.isArray(value) ? value : [value]).map(entry => toCell(entry, type.list))
  if (typeof value !== 'object' || Array.isArray(value)) return null
  return Object.fromEntries(Object.entries(type.struct).map(([key, inner]) => [key, toCell(ownProperty(value, key), inner)]))
}

const SCALARS: Record<Extract<ColumnType, string>, (value: Json) => unknown> = {
  string: value => (typeof value === 'string' ? value : JSON.stringify(value)),
  json: value => JSON.stringify(value),
  bool: value => (typeof value === 'boolean' ? value : null),
  int64: value => (Number.isInteger(value) ? BigInt(value as number) : null),
  float64: value => (typeof value === 'number' ? value : null),
  timestamp: value => toMicroseconds(String(value)),
  image: value => toImage(String(value)),
}

/** Parses times such as `2026-11-15T02:11:22.769596`, in UTC. */
function toMicroseconds(text: string): bigint {
  return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, 26) || 0)
}

/** Decodes a data URL into bytes; any other URL becomes the path. */
function toImage(url: string): { bytes: Uint8Array | null; path: string | null } {
  const head = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(url)
  if (!head) return { bytes: null, path: url }
  const content = url.slice(head[0].length)
  const isBase64 = /;base64$/i.test(head[2] ?? '')
  return { bytes: isBase64 ? Buffer.from(content, 'base64') : Buffer.from(decodePercent(content)), path: null }
}

function decodePercent(content: string): string {
  try {
    return decodeURIComponent(content)
  } catch {
    // The text contains a literal percent sign.
    return content
  }
}
