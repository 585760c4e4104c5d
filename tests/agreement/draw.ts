/** Seeded random values: the same seed gives the same values in every run. */
import { openRandom } from '../load/corpus.ts'

export interface Draw {
  /** Integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** Between `min` and `max` different items, in the order of the list. */
  some<T>(from: readonly T[], min: number, max: number): T[]
  /** Number from -1 to 1. */
  signed(): number
}

export function createDraw(seed: number): Draw {
  const random = openRandom(seed)
  // The first numbers of neighbouring seeds are similar.
  for (let i = 0; i < 5; i++) random()
  const below = (limit: number) => Math.floor(random() * limit)
  return {
    below,
    chance: probability => random() < probability,
    pick: from => from[below(from.length)] as (typeof from)[number],
    some: (from, min, max) => {
      const count = Math.min(from.length, min + below(max - min + 1))
      const left = from.map((_, index) => index)
      const chosen = Array.from({ length: count }, () => left.splice(below(left.length), 1)[0] ?? 0)
      return chosen.toSorted((one, other) => one - other).map(index => from[index] as (typeof from)[number])
    },
    signed: () => random() * 2 - 1,
  }
}
