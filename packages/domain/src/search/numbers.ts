/**
 * Numbers in filters.
 *
 * Terms filters send them as text. Fractions are compared with 32-bit precision, as existing clients expect (0.1 finds the value
 * that a float32 library wrote as 0.10000000149011612). Engines compare 64-bit numbers: a bound becomes the outermost 64-bit
 * number that rounds to it.
 */
import { invalid } from '../errors.ts'
import type { Range } from './query.ts'

export type NumberPrecision = 'integer' | 'float'

const INTEGER_ABOVE_MAX = 2 ** 63

/** Returns the range of all numbers that count as equal to this one. Throws `invalid` if it is not a number of that precision. */
export function toNumberRange(value: string | number, precision: NumberPrecision): { from: number; to: number } {
  const number = typeof value === 'number' ? value : parseNumber(value)
  if (!Number.isFinite(number)) throw invalid(`\`${String(value).slice(0, 100)}\` is not a number`)
  if (precision === 'integer') {
    if (number < -INTEGER_ABOVE_MAX || number >= INTEGER_ABOVE_MAX)
      throw invalid('A number of more than 64 bits cannot be compared')
    return { from: number, to: number }
  }
  const float = Math.fround(number)
  if (!Number.isFinite(float)) throw invalid('A number of more than 32 bits cannot be compared with a float')
  return { from: -highestRoundingTo(-float), to: highestRoundingTo(float) }
}

/** Returns the range between two bounds, each of which may be missing. */
export function toNumberBounds(
  bounds: { ge: string | number | null; le: string | number | null },
  precision: NumberPrecision,
): Range<number> {
  return {
    from: bounds.ge === null ? null : toNumberRange(bounds.ge, precision).from,
    to: bounds.le === null ? null : toNumberRange(bounds.le, precision).to,
  }
}

/** Formats a number as it appears among terms: `1` is `1.0`. */
export function toDecimalText(number: number): string {
  const text = String(number)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

function parseNumber(text: string): number {
  // No two parts of the pattern match the same digits, so the time is linear in the length of the text, not quadratic.
  return /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN
}

/** Returns the largest 64-bit number that rounds to this one in 32 bits. */
function highestRoundingTo(float: number): number {
  const next = nextFloat(float)
  if (!Number.isFinite(next)) return float
  // The number halfway between two floats rounds to the one with the even last bit.
  const halfway = (float + next) / 2
  return Math.fround(halfway) === float ? halfway : -nextDouble(-halfway)
}

const bits = new DataView(new ArrayBuffer(8))

function nextFloat(float: number): number {
  if (float === 0) return 2 ** -149
  bits.setFloat32(0, float)
  bits.setInt32(0, bits.getInt32(0) + (float > 0 ? 1 : -1))
  return bits.getFloat32(0)
}

function nextDouble(double: number): number {
  if (double === 0) return Number.MIN_VALUE
  bits.setFloat64(0, double)
  bits.setBigInt64(0, bits.getBigInt64(0) + (double > 0 ? 1n : -1n))
  return bits.getFloat64(0)
}
