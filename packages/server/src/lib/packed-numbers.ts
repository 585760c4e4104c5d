/**
 * Distinct numbers as bytes: sorted, each as the difference to the one before, seven bits per byte. Numbers of records that were
 * added together follow each other, so that each takes one byte.
 */

/** `numbers` are whole, not negative and at most 2^53 - 1. */
export function packNumbers(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = []
  let before = 0
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    // Bit operations would cut numbers off at 32 bits.
    let rest = number - before
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
    before = number
  }
  return Uint8Array.from(bytes)
}

/** Ascending. */
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
