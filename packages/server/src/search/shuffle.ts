/**
 * The order in which annotators meet records: a ring of places, which each user enters at a place of their own. Records are
 * spread over the places by a hash, and are in the order of their making within one.
 *
 * A record's place never changes, so a queue stays where it was when the page is loaded again; and a ring can be read from
 * an index, where a hash of record and user together would have to be worked out for every record. The places are few, so
 * that a bulk write adds to few pages of that index; more people than places meet the same records sooner, no more.
 */
import type { Id } from '@postil/domain/schema'

export const SHUFFLE_SIZE = 64

/** The place of a record on the ring: what `records.shuffle` holds. */
export const recordShuffle = (recordId: Id): number => hash(recordId, 0x9747b28c) % SHUFFLE_SIZE

/** The place where a user enters the ring. */
export const userShuffle = (userId: Id): number => hash(userId, 0x5bd1e995) % SHUFFLE_SIZE

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
