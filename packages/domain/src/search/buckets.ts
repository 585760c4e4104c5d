/**
 * Groups numbers into at most twenty buckets of equal width, for the histogram above a range filter.
 *
 * Integers get integer buckets, which include both ends. For floats, the upper end belongs to the next bucket, except in the last
 * one. Scores always use buckets over 0 to 1, so that two questions can be compared.
 */
export const BUCKETS_MAX = 20

export type BucketKind = 'integer' | 'float' | 'score'

/**
 * `count` buckets, each `step / parts` wide. These are separate numbers because 1 / 20 is not exact in binary and 0.15 must be in
 * the fourth bucket.
 */
export interface BucketPlan {
  kind: BucketKind
  start: number
  end: number
  step: number
  parts: number
  count: number
}

export interface Bucket {
  from: number
  to: number
  count: number
}

/** Plans buckets for numbers from `min` to `max`, both of which occur. */
export function planBuckets(min: number, max: number, kind: BucketKind): BucketPlan {
  if (kind === 'score') return { kind, start: 0, end: 1, step: 1, parts: BUCKETS_MAX, count: BUCKETS_MAX }
  if (kind === 'integer') {
    const step = Math.floor((max - min) / BUCKETS_MAX) + 1
    // Differences of numbers near 2^53 are not exact, so the last step may end before the maximum.
    return { kind, start: min, end: max, step, parts: 1, count: Math.min(BUCKETS_MAX, Math.floor((max - min) / step) + 1) }
  }
  if (min === max) return { kind, start: min, end: max, step: 1, parts: 1, count: 1 }
  return { kind, start: min, end: max, step: max - min, parts: BUCKETS_MAX, count: BUCKETS_MAX }
}

/** Returns the bucket of a number. Engines that count in their own queries use the same formula. */
export function bucketOf(value: number, { start, step, parts, count }: BucketPlan): number {
  return Math.min(count - 1, Math.floor(((value - start) * parts) / step))
}

/** Returns all buckets in order, including empty ones. */
export function toBuckets(plan: BucketPlan, counts: ReadonlyMap<number, number>): Bucket[] {
  const { kind, start, end, step, parts, count } = plan
  const edge = (i: number) => start + (i * step) / parts
  return Array.from({ length: count }, (_, i) => {
    const to = kind === 'integer' ? edge(i + 1) - 1 : edge(i + 1)
    return { from: edge(i), to: i === count - 1 ? end : to, count: counts.get(i) ?? 0 }
  })
}
