import type { Id } from '@postil/domain/schema'
import type { Bitmap } from '../bitmap.ts'
import { SHUFFLE_SIZE, userWalk, type Walk } from '../shuffle.ts'
import type { ByteColumn } from './byte-column.ts'
import type { Page } from './sort.ts'

export interface ShuffledPage {
  ordinals: Uint32Array
  /** Of each ordinal: between 0 and 1, the higher the earlier. */
  scores: number[]
}

/** A page of a user's shuffle: places in the order of the user's walk, and the records of a place by ordinal. A counting sort. */
export function shuffledPage(matches: Bitmap, userId: Id, { offset, limit, total }: Page, shuffle: ByteColumn): ShuffledPage {
  const walk = userWalk(userId)
  const numbers = numberPlaces(walk)
  const matching = matches.ordinals(total)
  if (walk.backwards) matching.reverse()
  const { values: places } = shuffle
  const next = countStarts(matching, places, numbers)

  const ordinals = new Uint32Array(Math.max(0, Math.min(limit, matching.length - offset)))
  for (let i = 0; i < matching.length; i++) {
    const number = numbers[places[matching[i] as number] as number] as number
    const position = next[number] as number
    next[number] = position + 1
    if (position >= offset && position - offset < ordinals.length) ordinals[position - offset] = matching[i] as number
  }
  const scores = Array.from(ordinals, ordinal => 1 - (numbers[places[ordinal] as number] as number) / SHUFFLE_SIZE)
  return { ordinals, scores }
}

/** When a walk meets each place. */
function numberPlaces({ start, back }: Walk): Uint8Array {
  return Uint8Array.from({ length: SHUFFLE_SIZE }, (_, place) => ((place + SHUFFLE_SIZE - start) * back) % SHUFFLE_SIZE)
}

/** The position of the first record of each place in the whole order. */
function countStarts(ordinals: Uint32Array, places: Uint8Array, numbers: Uint8Array): Uint32Array {
  const starts = new Uint32Array(SHUFFLE_SIZE + 1)
  for (let i = 0; i < ordinals.length; i++) {
    const number = numbers[places[ordinals[i] as number] as number] as number
    starts[number + 1] = (starts[number + 1] as number) + 1
  }
  for (let i = 1; i <= SHUFFLE_SIZE; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number)
  return starts
}
