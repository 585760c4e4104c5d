/**
 * Column type for values of any shape. If all values have the same keys and types, it is a struct, which clients read back
 * unchanged. Otherwise it is JSON text, because a struct would add the keys of all rows to every row, as nulls.
 */
import type { ColumnType } from '@postil/domain/columns'
import type { Json } from '@postil/domain/schema'
import { isObject } from '../hub/hub-features.ts'

const DEPTH_MAX = 8
/** Limit of Parquet columns for one field. */
const LEAVES_MAX = 200

/** `any` if the values differ, `none` if all values so far are null. */
type Shape = 'any' | 'none' | 'string' | 'bool' | 'int64' | 'float64' | { list: Shape } | { struct: Map<string, Shape> }

export interface JsonShape {
  add(value: Json | undefined): void
  /** True if no further value can change the type. */
  isFinal(): boolean
  type(): ColumnType
}

export function createJsonShape(): JsonShape {
  let shape: Shape = 'none'
  return {
    add: value => {
      shape = merge(shape, shapeOf(value ?? null, DEPTH_MAX))
    },
    isFinal: () => !isStruct(shape),
    type: () => (isStruct(shape) ? toColumnType(shape) : 'json'),
  }
}

function shapeOf(value: Json, depth: number): Shape {
  if (value === null) return 'none'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64'
  if (depth === 0) return 'any'
  if (Array.isArray(value)) {
    return { list: value.reduce<Shape>((shape, entry) => merge(shape, shapeOf(entry, depth - 1)), 'none') }
  }
  const entries = Object.entries(value)
  // Parquet does not support structs without keys. Empty keys are invalid for readers, and `_type` has a special meaning.
  if (entries.length === 0 || entries.some(([key]) => key === '' || key === '_type')) return 'any'
  return { struct: new Map(entries.map(([key, entry]) => [key, shapeOf(entry, depth - 1)])) }
}

function merge(one: Shape, other: Shape): Shape {
  if (one === 'none' || one === other) return other
  if (other === 'none') return one
  if (isNumber(one) && isNumber(other)) return 'float64'
  if (!isObject(one) || !isObject(other)) return 'any'
  if ('list' in one) return 'list' in other ? { list: merge(one.list, other.list) } : 'any'
  if (!('struct' in other) || one.struct.size !== other.struct.size) return 'any'
  const struct = new Map<string, Shape>()
  for (const [key, shape] of one.struct) {
    const another = other.struct.get(key)
    if (another === undefined) return 'any'
    struct.set(key, merge(shape, another))
  }
  return { struct }
}

const isNumber = (shape: Shape) => shape === 'int64' || shape === 'float64'

const isStruct = (shape: Shape) => countLeaves(shape) <= LEAVES_MAX

/** Infinite if the values differ. */
function countLeaves(shape: Shape): number {
  if (typeof shape === 'string') return shape === 'any' ? Number.POSITIVE_INFINITY : 1
  return 'list' in shape ? countLeaves(shape.list) : shape.struct.values().reduce((sum, inner) => sum + countLeaves(inner), 0)
}

function toColumnType(shape: Shape): ColumnType {
  if (shape === 'none' || shape === 'any') return 'string'
  if (typeof shape === 'string') return shape
  if ('list' in shape) return { list: toColumnType(shape.list) }
  return { struct: Object.fromEntries(Array.from(shape.struct, ([key, inner]) => [key, toColumnType(inner)])) }
}
