/** Buckets of numbers as ranges of the engines, whose borders are where `bucketOf` has them, to the last bit. */
import { type BucketPlan, bucketOf } from '@postil/domain/search/buckets'

export interface BucketRange {
  key: string
  from: number
  to?: number
}

/** The lower end belongs to a range, the upper one does not. The last has none. */
export function toBucketRanges(plan: BucketPlan): BucketRange[] {
  const starts = Array.from({ length: plan.count }, (_, i) => firstIn(i, plan))
  return starts.map((from, i) => {
    const to = starts[i + 1]
    return { key: String(i), from, ...(to === undefined ? {} : { to }) }
  })
}

const numbers = new Float64Array(1)
const bits = new BigInt64Array(numbers.buffer)

/** The smallest number in a bucket or a later one. `bucketOf` rounds, but never falls while numbers grow. */
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

/** Numbers in their order as integers: the bits of negative ones count downwards. */
function toRank(number: number): bigint {
  numbers[0] = number
  const rank = bits[0] as bigint
  return rank < 0n ? -(rank & 0x7fff_ffff_ffff_ffffn) : rank
}

function fromRank(rank: bigint): number {
  bits[0] = rank < 0n ? -rank : rank
  return rank < 0n ? -(numbers[0] as number) : (numbers[0] as number)
}
