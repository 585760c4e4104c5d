/**
 * The order in which annotators meet records. Records are spread over 64 places by a hash; each user walks the places in an
 * order of their own, and the records of a place from its beginning or from its end.
 *
 * A record's place never changes, so a queue stays where it was when the page is loaded again; and a place can be read from
 * an index, where a hash of record and user together would have to be worked out for every record. The places are few, so
 * that a bulk write adds to few pages of that index.
 */
import type { Id } from '@postil/domain/schema'

export const SHUFFLE_SIZE = 64

/** The place of a record: what `records.shuffle` holds. */
export const recordShuffle = (recordId: Id): number => hash(recordId, 0x9747b28c) % SHUFFLE_SIZE

/** A user's walk: the n-th place is `(n * step + start) mod SHUFFLE_SIZE`. An odd step meets every place once. */
export interface Walk {
  start: number
  step: number
  /** Place `p` is met as number `(p - start) * back mod SHUFFLE_SIZE`. */
  back: number
  backwards: boolean
}

export function userWalk(userId: Id): Walk {
  const bits = hash(userId, 0x5bd1e995)
  const step = ((bits >>> 6) % (SHUFFLE_SIZE / 2)) * 2 + 1
  return { start: bits % SHUFFLE_SIZE, step, back: inverse(step), backwards: (bits & 0x10000) !== 0 }
}

export const placeAt = (walk: Walk, number: number): number => (number * walk.step + walk.start) % SHUFFLE_SIZE

function inverse(step: number): number {
  let candidate = 1
  while ((candidate * step) % SHUFFLE_SIZE !== 1) candidate += 2
  return candidate
}

/** MurmurHash3 over the UTF-16 units of a text: ids that differ in one digit land far from each other. */
function hash(text: string, seed: number): number {
  let state = seed
  for (let i = 0; i < text.length; i += 2) {
    const block = text.charCodeAt(i) | ((text.charCodeAt(i + 1) || 0) << 16)
    state ^= Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593)
    state = Math.imul(rotate(state, 13), 5) + 0xe6546b64
  }
  state ^= text.length
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
