import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BUCKETS_MAX, type BucketKind, bucketOf, planBuckets, toBuckets } from './buckets.ts'

const bucketsOf = (numbers: number[], kind: BucketKind) => {
  const plan = planBuckets(Math.min(...numbers), Math.max(...numbers), kind)
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(bucketOf(number, plan), (counts.get(bucketOf(number, plan)) ?? 0) + 1)
  return toBuckets(plan, counts)
}

test('few whole numbers have a bucket each', () => {
  expect(bucketsOf([3, 5, 5], 'integer')).toEqual([
    { from: 3, to: 3, count: 1 },
    { from: 4, to: 4, count: 0 },
    { from: 5, to: 5, count: 2 },
  ])
})

test('many whole numbers share buckets, which do not overlap', () => {
  const buckets = bucketsOf([0, 4, 5, 99], 'integer')
  expect([buckets.length, buckets[0], buckets[1], buckets.at(-1)]).toEqual([
    20,
    { from: 0, to: 4, count: 2 },
    { from: 5, to: 9, count: 1 },
    { from: 95, to: 99, count: 1 },
  ])
})

test('one fraction has one bucket; the largest of several is in the last', () => {
  expect(bucketsOf([0.5, 0.5], 'float')).toEqual([{ from: 0.5, to: 0.5, count: 2 }])
  const buckets = bucketsOf([1, 2], 'float')
  expect([buckets.length, buckets[0], buckets.at(-1)]).toEqual([
    20,
    { from: 1, to: 1.05, count: 1 },
    { from: 1.95, to: 2, count: 1 },
  ])
})

test.each([0, 0.05, 0.1, 0.15, 0.3, 0.35, 0.6, 0.7, 0.9, 0.95, 0.999])(
  'score %d is in the bucket that begins at or below it',
  score => {
    const bucket = bucketsOf([score], 'score').find(({ count }) => count > 0)
    expect(bucket?.from).toBeLessThanOrEqual(score)
    expect(bucket?.to).toBeGreaterThan(score)
  },
)

test('scores are between 0 and 1, whichever occur; 1 is in the last bucket', () => {
  const buckets = bucketsOf([0.42, 1], 'score')
  expect([buckets.length, buckets[0]?.from, buckets.at(-1)]).toEqual([BUCKETS_MAX, 0, { from: 0.95, to: 1, count: 1 }])
})

test('every number is in one bucket, and buckets reach from the smallest to the largest', () => {
  const numbers = fc.oneof(
    fc.tuple(fc.constant<BucketKind>('integer'), fc.array(fc.maxSafeInteger(), { minLength: 1 })),
    fc.tuple(fc.constant<BucketKind>('float'), fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })),
  )
  fc.assert(
    fc.property(numbers, ([kind, given]) => {
      const buckets = bucketsOf(given, kind)
      expect(buckets.length).toBeLessThanOrEqual(BUCKETS_MAX)
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(given.length)
      expect(buckets[0]?.from).toBeCloseTo(Math.min(...given))
      expect(buckets.at(-1)?.to).toBeCloseTo(Math.max(...given))
    }),
  )
})
