/** Converts values of a file for fields, metadata properties, vectors and questions. Pure. */
import type { ColumnType } from '@postil/domain/columns'
import { ShapeError } from '@postil/domain/errors'
import type { Json } from '@postil/domain/schema'
import { parseJson } from '../../http/json.ts'
import { withExactIntegers } from './tables/json-integers.ts'

/** A field, question or metadata property. */
export interface Target {
  type: { column: { type: ColumnType; read(value: Json): Json } }
}

/** Values that cannot be converted remain unchanged, so that validation reports them. */
export function toTargetValue(value: Json, { type: { column } }: Target): Json {
  return column.read(typeof value === 'string' ? readText(value, column.type) : value)
}

/** In text formats such as CSV, lists, objects and numbers are text. */
function readText(text: string, type: ColumnType): Json {
  if (type === 'int64' || type === 'float64') return toNumber(text)
  if (type === 'json' || typeof type === 'object') return toParsed(text)
  return text
}

/** Each digit can match in one way only; otherwise the time for a long text would grow with the square of its length. */
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** A number that would lose digits remains text. */
export function toNumber(text: string): Json {
  const trimmed = text.trim()
  const number = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN
  if (!Number.isFinite(number)) return text
  return /^[+-]?\d+$/.test(trimmed) && !Number.isSafeInteger(number) ? text : number
}

function toParsed(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return parseJson(withExactIntegers(Buffer.from(text))) as Json
  } catch (error) {
    if (error instanceof ShapeError) return text
    throw error
  }
}

/** Parses a list of options, either JSON or separated by `,`, `;` or `|`. An option may itself contain a separator. */
export function toOptions(value: Json, isOption: (text: string) => boolean): Json {
  if (typeof value !== 'string') return value
  const parsed = toParsed(value)
  if (typeof parsed !== 'string' || isOption(value)) return parsed
  const parts = [',', ';', '|'].map(separator =>
    value
      .split(separator)
      .map(part => part.trim())
      .filter(part => part !== ''),
  )
  return parts.find(list => list.length > 1 && list.every(isOption)) ?? parts.find(list => list.length > 1) ?? value.trim()
}

/** Parses numbers from a list, from JSON, or from text separated by spaces, commas or semicolons. */
export function toVector(value: Json): Json {
  if (typeof value !== 'string') return value
  const parsed = toParsed(value)
  if (typeof parsed !== 'string') return parsed
  const numbers = value
    .trim()
    .split(/[\s,;]+/)
    .map(toNumber)
  return numbers.every(number => typeof number === 'number') ? numbers : value
}

/** Parses one score, or a list with one score per value. */
export const toScore = (value: Json): Json =>
  typeof value === 'string' && !/^\s*\[/.test(value) ? toNumber(value) : toVector(value)
