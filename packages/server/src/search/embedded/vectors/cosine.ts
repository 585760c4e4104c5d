/**
 * The exact second look: similarity from the 64-bit floats that are stored, and how far the scan may be from it.
 */
import { ROW_LENGTH, SCORE_ONE, scaleToOne } from './block.ts'

/** Where squares of 64-bit floats sum up precisely; scan.wat has the same borders. */
const SQUARES_MIN = 1e-200
const SQUARES_MAX = 1e200

/** The query with length 1, or all zeros; negated it finds what is least similar. */
export function toQuery(vector: readonly number[], order: 'most_similar' | 'least_similar'): Float64Array {
  const query = Float64Array.from(vector)
  if (!scaleToOne(query)) return query.fill(0)
  const length = Math.sqrt(query.reduce((sum, number) => sum + number * number, 0))
  return query.map(number => (order === 'most_similar' ? number / length : -number / length))
}

/** (1 + cos) / 2 of a query from `toQuery` and a stored vector; 0.5 for a vector of zeros. */
export function similarity(query: Float64Array, value: Uint8Array): number {
  const numbers = toFloats(value)
  const [dot, squares] = sums(query, numbers)
  if (squares >= SQUARES_MIN && squares <= SQUARES_MAX) return toScore(dot / Math.sqrt(squares))
  const scaled = numbers.slice()
  if (!scaleToOne(scaled)) return 0.5
  const [scaledDot, scaledSquares] = sums(query, scaled)
  return toScore(scaledDot / Math.sqrt(scaledSquares))
}

/** Rounding may carry a cosine a little past one. */
export const toScore = (cosine: number): number => (1 + Math.min(1, Math.max(-1, cosine))) / 2

/**
 * How far a scanned cosine may be from the exact one.
 *
 * With L for ROW_LENGTH and n dimensions: a row is L·x + e, the query L·q + f, where x and q have length 1 and each number
 * of e and f is a rounding of at most 1/2, so that e and f are no longer than √n / 2. The sums of integers are exact, so
 * the scan gives L²·x·q + L·x·f + e·(L·q + f), which is off by at most L·√n/2 + √n/2·(L + √n/2). Divided by L² that is
 * √n/L + n/4L². The last term makes up for the 64-bit roundings on the way and in the second look.
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
  // 64-bit floats may only begin at multiples of eight. (`slice` of a Buffer would not copy.)
  const bytes = value.byteOffset % 8 === 0 ? value : new Uint8Array(value)
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8)
}
