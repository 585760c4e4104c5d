/** A prepared bulk as bytes, for the writer thread. */
import { deserialize, serialize } from 'node:v8'
import type { PreparedBulk } from './prepare.ts'

interface Packed {
  bulk: PreparedBulk
  /** The numbers of all vectors: one array is copied much faster than one for each vector. */
  numbers: Float64Array
  /** How many of them each vector has, in the order of `vectorsOf`. */
  lengths: number[]
}

const NONE = new Float64Array(0)

/** In memory of its own, which can be handed over without a copy. Empties the vectors of the bulk. */
export function toPreparedBytes(bulk: PreparedBulk): Uint8Array {
  const vectors = vectorsOf(bulk)
  const lengths = vectors.map(({ value }) => value.length)
  const numbers = new Float64Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const vector of vectors) {
    numbers.set(vector.value, at)
    at += vector.value.length
    vector.value = NONE
  }
  return new Uint8Array(serialize({ bulk, numbers, lengths } satisfies Packed))
}

/** Only for bytes of `toPreparedBytes`, never for bytes from outside. */
export function readPrepared(bytes: Uint8Array): PreparedBulk {
  const { bulk, numbers, lengths } = deserialize(bytes) as Packed
  let at = 0
  for (const [index, vector] of vectorsOf(bulk).entries()) {
    const end = at + (lengths[index] as number)
    vector.value = numbers.subarray(at, end)
    at = end
  }
  return bulk
}

const vectorsOf = ({ items }: PreparedBulk) => items.flatMap(({ content }) => content?.vectors ?? [])
