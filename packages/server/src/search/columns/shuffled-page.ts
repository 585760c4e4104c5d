import type { Id } from '@postil/domain/schema'
import type { Bitmap } from '../bitmap.ts'
import { SHUFFLE_BUCKETS, type ShuffleOrder, userShuffleOrder } from '../shuffle.ts'
import type { ByteColumn } from './byte-column.ts'
import type { Page } from './sort.ts'

export interface ShuffledPage {
  ordinals: Uint32Array
  /** Score of each ordinal, between 0 and 1: earlier buckets have higher scores. */
  scores: number[]
}

/**
 * Returns a page of a user's shuffle, by a counting sort: buckets in the user's order, and the records of a bucket by ordinal.
 */
export function shuffledPage(matches: Bitmap, userId: Id, { offset, limit, total }: Page, shuffle: ByteColumn): ShuffledPage {
  const order = userShuffleOrder(userId)
  const numbers = toBucketPositions(order)
  const matching = matches.ordinals(total)
  if (order.backwards) matching.reverse()
  const { values: buckets } = shuffle
  const next = countStarts(matching, buckets, numbers)

  const ordinals = new Uint32Array(Math.max(0, Math.min(limit, matching.length - offset)))
  for (let i = 0; i < matching.length; i++) {
    const number = numbers[buckets[matching[i] as number] as number] as number
    const position = next[number] as number
    next[number] = position + 1
    if (position >= offset && position - offset < ordinals.length) ordinals[position - offset] = matching[i] as number
  }
  const scores = Array.from(ordinals, ordinal => 1 - (numbers[buckets[ordinal] as number] as number) / SHUFFLE_BUCKETS)
  return { ordinals, scores }
}

/** Returns the position of each bucket in the user's order. */
function toBucketPositions({ buckets }: ShuffleOrder): Uint8Array {
  const numbers = new Uint8Array(SHUFFLE_BUCKETS)
  for (const [number, bucket] of buckets.entries()) numbers[bucket] = number
  return numbers
}

/** Returns the position of the first record of each bucket in the whole order. */
function countStarts(ordinals: Uint32Array, buckets: Uint8Array, numbers: Uint8Array): Uint32Array {
  const starts = new Uint32Array(SHUFFLE_BUCKETS + 1)
  for (let i = 0; i < ordinals.length; i++) {
    const number = numbers[buckets[ordinals[i] as number] as number] as number
    starts[number + 1] = (starts[number + 1] as number) + 1
  }
  for (let i = 1; i <= SHUFFLE_BUCKETS; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number)
  return starts
}
