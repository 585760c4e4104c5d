/** A multiple of 32, so that a column ends where a word of a bitmap does. */
const STEP = 1024

/** The array itself, or a larger copy if it holds fewer than `length` elements. Grows by a quarter, so that appending stays linear. */
export function grown<A extends Uint8Array | Uint32Array | Float64Array>(array: A, length: number): A {
  if (length <= array.length) return array
  const size = Math.ceil(Math.max(length, array.length * 1.25) / STEP) * STEP
  const larger = new (array.constructor as new (size: number) => A)(size)
  larger.set(array)
  return larger
}
