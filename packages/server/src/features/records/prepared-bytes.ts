/** Serializes a prepared bulk for the writer thread. */
import { deserialize, serialize } from 'node:v8'
import type { PreparedBulk } from './prepare.ts'

interface PackedBulk {
  bulk: PreparedBulk
  /** Numbers of all vectors: copying one array is much faster than one array per vector. */
  numbers: Float64Array
  /** Length of each vector, in the order of `vectorsOf`. */
  lengths: number[]
}

const NONE = new Float64Array(0)

/** Returns bytes in their own buffer, which can be transferred without a copy. Empties the vectors of the bulk. */
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
  return new Uint8Array(serialize({ bulk, numbers, lengths } satisfies PackedBulk))
}

/** Only for the output of `toPreparedBytes`, never for untrusted bytes. */
export function readPrepared(bytes: Uint8Array): PreparedBulk {
  const { bulk, numbers, lengths } = deserialize(bytes) as PackedBulk
  let at = 0
  for (const [index, vector] of vectorsOf(bulk).entries()) {
    const end = at + (lengths[index] as number)
    vector.value = numbers.subarray(at, end)
    at = end
  }
  return bulk
}

const vectorsOf = ({ items }: PreparedBulk) => items.flatMap(({ content }) => content?.vectors ?? [])
