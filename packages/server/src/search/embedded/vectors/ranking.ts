/**
 * Returns scores in descending order, only as far as needed. Sorting all scores would take longer than the scan, so they are
 * counted into bins of equal width, and only the bins that are reached are collected. A bin is not sorted: it is about as wide as
 * the error of the scan, so all of its rows must be scored exactly anyway.
 */

/** Marks a row that is not a candidate. A scan never returns this value. */
export const NO_SCORE = -(2 ** 31)

/** 2^18 of 2^30 is 1/4096 of a cosine. The bins cover all 32 bits, so that scores need not be clamped. */
const BIN_BITS = 18
const BINS = 2 ** (32 - BIN_BITS)

export interface Ranking {
  /** Returns the indexes of the next best scores: at least `count`, or all remaining ones. */
  take(count: number): number[]
  /** Upper bound for the remaining scores. */
  ceiling(): number
}

export function rankScores(scores: Int32Array): Ranking {
  const bins = new Uint32Array(BINS)
  for (let place = 0; place < scores.length; place++) {
    const bin = ((scores[place] as number) >> BIN_BITS) + BINS / 2
    bins[bin] = (bins[bin] as number) + 1
  }
  // The lowest bin contains the indexes that are not candidates.
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

/** Returns the indexes with a score from `low` to below `high`. */
function placesBetween(scores: Int32Array, low: number, high: number): number[] {
  const places: number[] = []
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place] as number
    if (score >= low && score < high) places.push(place)
  }
  return places
}
