/** Computes the exact similarity from the stored 64-bit floats, and the maximum error of the scan. */
import { ROW_LENGTH, SCORE_ONE, scaleToOne } from './block.ts'

/** Range in which the sum of squares of 64-bit floats is precise. scan.wat uses the same limits. */
const SQUARES_MIN = 1e-200
const SQUARES_MAX = 1e200

/** Returns the query with length 1, or all zeros. It is negated for the order `least_similar`. */
export function toQueryVector(vector: readonly number[], order: 'most_similar' | 'least_similar'): Float64Array {
  const query = Float64Array.from(vector)
  if (!scaleToOne(query)) return query.fill(0)
  const length = Math.sqrt(query.reduce((sum, number) => sum + number * number, 0))
  return query.map(number => (order === 'most_similar' ? number / length : -number / length))
}

/** Returns (1 + cos) / 2 for a query from `toQuery` and a stored vector; 0.5 for a vector of zeros. */
export function similarity(query: Float64Array, value: Uint8Array): number {
  const numbers = toFloats(value)
  const [dot, squares] = sums(query, numbers)
  if (squares >= SQUARES_MIN && squares <= SQUARES_MAX) return toScore(dot / Math.sqrt(squares))
  const scaled = numbers.slice()
  if (!scaleToOne(scaled)) return 0.5
  const [scaledDot, scaledSquares] = sums(query, scaled)
  return toScore(scaledDot / Math.sqrt(scaledSquares))
}

/** Clamps the cosine, which can slightly exceed 1 because of rounding. */
export const toScore = (cosine: number): number => (1 + Math.min(1, Math.max(-1, cosine))) / 2

/**
 * Maximum difference between a scanned cosine and the exact one.
 *
 * With L for ROW_LENGTH and n dimensions: a row is L·x + e and the query is L·q + f, where x and q have length 1. Each number of
 * e and f is a rounding error of at most 1/2, so e and f are no longer than √n / 2. Sums of integers are exact, so the scan
 * computes L²·x·q + L·x·f + e·(L·q + f), with an error of at most L·√n/2 + √n/2·(L + √n/2). Divided by L², this is √n/L + n/4L².
 * The last term covers 64-bit rounding errors, both here and in the exact computation.
 */
export const scanErrorMax = (dimensions: number): number =>
  Math.sqrt(dimensions) / ROW_LENGTH + dimensions / (4 * SCORE_ONE) + dimensions * 2 ** -48

function sums(query: Float64Array, numbers: Float64Array): [dot: number, squares: number] {
  let dot = 0
  let squares = 0
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] as number
    dot += number * (query[index] as number)
    squares += number * number
  }
  return [dot, squares]
}

function toFloats(value: Uint8Array): Float64Array {
  // 64-bit floats must be aligned to eight bytes. (`slice` of a Buffer would not copy.)
  const bytes = value.byteOffset % 8 === 0 ? value : new Uint8Array(value)
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8)
}
