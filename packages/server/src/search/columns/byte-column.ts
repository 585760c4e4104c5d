import { ensureLength, moveElementsUp } from '../grow.ts'
import type { Move } from '../insertion.ts'

/** Integers from 0 to 255 by ordinal; 0 if unset. */
export class ByteColumn {
  values = new Uint8Array(0)

  get bytes(): number {
    return this.values.byteLength
  }

  reserve(length: number): void {
    this.values = ensureLength(this.values, length)
  }

  set(ordinal: number, value: number): void {
    this.reserve(ordinal + 1)
    this.values[ordinal] = value
  }

  /** Sets many ordinals in one call. */
  fill(ordinals: ArrayLike<number>, values: ArrayLike<number>): void {
    for (let i = 0; i < ordinals.length; i++) this.set(ordinals[i] as number, values[i] as number)
  }

  clear(ordinal: number): void {
    if (ordinal < this.values.length) this.values[ordinal] = 0
  }

  moveUp(move: Move): void {
    this.values = moveElementsUp(this.values, move, 0)
  }
}
