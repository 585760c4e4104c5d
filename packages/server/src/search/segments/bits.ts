/** Sets of small numbers (ordinals, local documents) as bitmaps of 32-bit words. Both sides of an operation have the same size. */

export const newBits = (size: number): Uint32Array => new Uint32Array((size + 31) >>> 5)

export const hasBit = (bits: Uint32Array, i: number): boolean => (((bits[i >>> 5] as number) >>> (i & 31)) & 1) === 1

export function setBit(bits: Uint32Array, i: number): void {
  bits[i >>> 5] = (bits[i >>> 5] as number) | (1 << (i & 31))
}

export function uniteBits(into: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) | (other[i] as number)
}

export function intersectBits(into: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) & (other[i] as number)
}

export function subtractBits(from: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < from.length; i++) from[i] = (from[i] as number) & ~(other[i] as number)
}

export function countBits(bits: Uint32Array): number {
  let count = 0
  for (let i = 0; i < bits.length; i++) {
    let word = bits[i] as number
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** The set's members in ascending order. */
export function listBits(bits: Uint32Array): Uint32Array {
  const members = new Uint32Array(countBits(bits))
  let count = 0
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i] as number; word !== 0; word &= word - 1) members[count++] = i * 32 + 31 - Math.clz32(word & -word)
  }
  return members
}
