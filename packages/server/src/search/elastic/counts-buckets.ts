/** Converts number buckets to ranges of the engines, with exactly the same bounds as `bucketOf`. */
import { type BucketPlan, bucketOf } from '@postil/domain/search/buckets'

export interface BucketRange {
  key: string
  from: number
  to?: number
}

/** A range includes its lower end, but not its upper end. The last range has no upper end. */
export function toBucketRanges(plan: BucketPlan): BucketRange[] {
  const starts = Array.from({ length: plan.count }, (_, i) => firstIn(i, plan))
  return starts.map((from, i) => {
    const to = starts[i + 1]
    return { key: String(i), from, ...(to === undefined ? {} : { to }) }
  })
}

const numbers = new Float64Array(1)
const bits = new BigInt64Array(numbers.buffer)

/** Returns the smallest number in this bucket or a later one, by binary search. `bucketOf` rounds, but is monotonic. */
function firstIn(bucket: number, plan: BucketPlan): number {
  let low = toRank(-Number.MAX_VALUE)
  let high = toRank(Number.MAX_VALUE)
  while (low < high) {
    const middle = (low + high) >> 1n
    if (bucketOf(fromRank(middle), plan) < bucket) low = middle + 1n
    else high = middle
  }
  return fromRank(low)
}

/** Maps numbers to integers in the same order. The bits of negative numbers are negated. */
function toRank(number: number): bigint {
  numbers[0] = number
  const rank = bits[0] as bigint
  return rank < 0n ? -(rank & 0x7fff_ffff_ffff_ffffn) : rank
}

function fromRank(rank: bigint): number {
  bits[0] = rank < 0n ? -rank : rank
  return rank < 0n ? -(numbers[0] as number) : (numbers[0] as number)
}
