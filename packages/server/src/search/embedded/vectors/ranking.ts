/**
 * Scores in descending order, as far as somebody asks. Sorting all of them would cost more than scanning them did, so they
 * are counted into bins of equal width, and only the bins that are reached are collected. Inside a bin there is no order:
 * it is about as wide as the scan may err, so the second look has to see all of it anyway.
 */

/** Marks a place that is no candidate: no scan gives it. */
export const NO_SCORE = -(2 ** 31)

/** 2^18 of 2^30 is 1/4096 of a cosine. All 32 bits have bins, so that none has to be cut off at the ends. */
const BIN_BITS = 18
const BINS = 2 ** (32 - BIN_BITS)

export interface Ranking {
  /** The places of the next best scores: at least `count`, or all that are left. */
  take(count: number): number[]
  /** No place that is left has a score above this. */
  ceiling(): number
}

export function rankScores(scores: Int32Array): Ranking {
  const bins = new Uint32Array(BINS)
  for (let place = 0; place < scores.length; place++) {
    const bin = ((scores[place] as number) >> BIN_BITS) + BINS / 2
    bins[bin] = (bins[bin] as number) + 1
  }
  // The lowest bin is for places that are no candidates.
  let left = scores.length - (bins[0] as number)
  let edge = BINS
  const lowest = (bin: number) => (bin - BINS / 2) * 2 ** BIN_BITS

  return {
    take(count) {
      const above = lowest(edge)
      let found = 0
      while (found < count && left > 0) {
        const inBin = bins[--edge] as number
        found += inBin
        left -= inBin
      }
      return found === 0 ? [] : placesBetween(scores, lowest(edge), above)
    },
    ceiling: () => (left === 0 ? Number.NEGATIVE_INFINITY : lowest(edge) - 1),
  }
}

/** Places with a score from `low` to below `high`. */
function placesBetween(scores: Int32Array, low: number, high: number): number[] {
  const places: number[] = []
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place] as number
    if (score >= low && score < high) places.push(place)
  }
  return places
}
