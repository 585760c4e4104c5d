/**
 * Numbers in coarse buckets that are in their order: sign, exponent and the first four binary digits, so sixteen buckets
 * between a number and its double. An index over buckets grows at few places, finds a range, and gives an order in which
 * only the numbers of one bucket are left to sort.
 */
const bits = new DataView(new ArrayBuffer(8))

export function numberBucket(value: number): number {
  // Minus zero equals zero, so it must share its bucket.
  bits.setFloat64(0, value === 0 ? 0 : value)
  const high = bits.getUint16(0)
  // Of negative numbers those with larger digits are smaller.
  return high & 0x8000 ? 0xffff - high : high + 0x8000
}
