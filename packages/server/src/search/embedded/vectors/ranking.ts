/**
 * Scores in descending order, as far as somebody asks. Sorting all of them would cost more than scanning them did, so they
 * are counted into bins of equal width first, and only the bins that are reached are collected and sorted.
 */

/** Marks a place that is no candidate; a cosine is never below -1. */
export const NO_SCORE = -2

const BINS_PER_ONE = 4096
const BINS = 2 * BINS_PER_ONE
/** Collecting passes over all scores, so it takes some more than asked for. */
const COLLECTED_MIN = 128

export interface Ranking {
  /** The places of the next best scores, best first; fewer than `count` when there are no more. */
  take(count: number): number[]
  /** No place that is left has a score above this. */
  ceiling(): number
}

export function rankScores(scores: Float32Array): Ranking {
  const bins = new Uint32Array(BINS)
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place] as number
    if (score > NO_SCORE) (bins[binOf(score)] as number)++
  }
  /** Places of this bin and those above it are collected. */
  let edge = BINS
  let collected: number[] = []
  let taken = 0

  const collect = (count: number) => {
    const from = edge
    let found = 0
    while (edge > 0 && found < count) found += bins[--edge] as number
    const places: number[] = found > 0 ? placesBetween(scores, edge, from) : []
    places.sort((a, b) => (scores[b] as number) - (scores[a] as number))
    collected = [...collected.slice(taken), ...places]
    taken = 0
  }

  return {
    take(count) {
      const missing = count - (collected.length - taken)
      if (missing > 0) collect(Math.max(missing, COLLECTED_MIN))
      const places = collected.slice(taken, taken + count)
      taken += places.length
      return places
    },
    ceiling() {
      if (taken < collected.length) return scores[collected[taken] as number] as number
      return edge === 0 ? Number.NEGATIVE_INFINITY : edge / BINS_PER_ONE - 1
    },
  }
}

/** Rounding may carry a cosine a little past one at either end. */
const binOf = (score: number): number => Math.max(0, Math.min(BINS - 1, ((score + 1) * BINS_PER_ONE) | 0))

function placesBetween(scores: Float32Array, low: number, high: number): number[] {
  const places: number[] = []
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place] as number
    if (score <= NO_SCORE) continue
    const bin = binOf(score)
    if (bin >= low && bin < high) places.push(place)
  }
  return places
}
