import { grown, movedUp } from '../grow.ts'
import type { Move } from '../insertion.ts'

/** Small whole numbers by ordinal; 0 if none was set. */
export class ByteColumn {
  values = new Uint8Array(0)

  get bytes(): number {
    return this.values.byteLength
  }

  reserve(length: number): void {
    this.values = grown(this.values, length)
  }

  set(ordinal: number, value: number): void {
    this.reserve(ordinal + 1)
    this.values[ordinal] = value
  }

  /** Sets many ordinals at once. */
  fill(ordinals: ArrayLike<number>, values: ArrayLike<number>): void {
    for (let i = 0; i < ordinals.length; i++) this.set(ordinals[i] as number, values[i] as number)
  }

  clear(ordinal: number): void {
    if (ordinal < this.values.length) this.values[ordinal] = 0
  }

  moveUp(move: Move): void {
    this.values = movedUp(this.values, move, 0)
  }
}
