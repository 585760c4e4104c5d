import type { Move } from './insertion.ts'

/** A multiple of 32, so that the length of a column is a whole number of bitmap words. */
const STEP = 1024

type Numbers = Uint8Array | Uint32Array | Float64Array

/**
 * Returns the array, or a larger copy if it holds fewer than `length` elements. Grows by a quarter, so that appending takes
 * amortized constant time.
 */
export function ensureLength<A extends Numbers>(array: A, length: number): A {
  if (length <= array.length) return array
  const size = Math.ceil(Math.max(length, array.length * 1.25) / STEP) * STEP
  const larger = new (array.constructor as new (size: number) => A)(size)
  larger.set(array)
  return larger
}

/** Moves elements up, in the array or in a larger copy. The positions that they leave, and new elements, are set to `empty`. */
export function moveElementsUp<A extends Numbers>(array: A, { from, end, by }: Move, empty: number): A {
  // A column is shorter than the dataset if the last records have no value.
  if (from >= array.length) return array
  const last = Math.min(end, array.length)
  const moved = ensureLength(array, last + by)
  if (moved !== array) moved.fill(empty, array.length)
  moved.copyWithin(from + by, from, last)
  moved.fill(empty, from, from + by)
  return moved
}
