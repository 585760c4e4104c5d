/**
 * The order in which annotators get records. A hash assigns each record to one of 64 buckets. Each user goes through the buckets
 * in their own order, and through the records of a bucket forwards or backwards.
 *
 * The bucket of a record never changes, so a queue keeps its order when the page is reloaded. A bucket can also be read from an
 * index, whereas a hash of record and user would have to be computed for every record. There are only a few buckets, so that a
 * bulk write touches few pages of that index.
 */
import type { Id } from '@postil/domain/schema'

export const SHUFFLE_BUCKETS = 64

/** The shuffle bucket of a record, stored in `records.shuffle`. */
export const toShuffleBucket = (recordId: Id): number => hash(recordId, 0x9747b28c) % SHUFFLE_BUCKETS

/** The order in which a user gets the records. */
export interface ShuffleOrder {
  /** All buckets, in the order of this user. */
  buckets: readonly number[]
  /** True if the records of each bucket are listed from last to first. */
  backwards: boolean
}

export function userShuffleOrder(userId: Id): ShuffleOrder {
  const hashes = Array.from({ length: SHUFFLE_BUCKETS }, (_, bucket) => hash(`${userId} ${bucket}`, 0x5bd1e995))
  const buckets = hashes.map((_, bucket) => bucket).sort((a, b) => (hashes[a] as number) - (hashes[b] as number) || a - b)
  return { buckets, backwards: (hash(userId, 0x5bd1e995) & 1) === 1 }
}

/** MurmurHash3 over the UTF-16 code units of a text, so that ids that differ in one digit get unrelated hashes. */
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
