/**
 * Encodes distinct numbers as bytes: sorted and delta-encoded, with seven bits per byte. Records that were added together have
 * consecutive numbers, so that each takes one byte.
 */

/** `numbers` are non-negative integers up to 2^53 - 1. */
export function packNumbers(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = []
  let before = 0
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    // Bit operations would truncate numbers to 32 bits.
    let rest = number - before
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
    before = number
  }
  return Uint8Array.from(bytes)
}

/** Returns the numbers in ascending order. */
export function unpackNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let before = 0
  let difference = 0
  let factor = 1
  for (const byte of bytes) {
    difference += (byte % 128) * factor
    factor *= 128
    if (byte >= 128) continue
    before += difference
    numbers.push(before)
    difference = 0
    factor = 1
  }
  return numbers
}
