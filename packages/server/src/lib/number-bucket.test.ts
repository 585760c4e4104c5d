import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberBucket } from './number-bucket.ts'

test('buckets are in the order of their numbers', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(number, number, (left, right) => {
      if (left <= right) expect(numberBucket(left)).toBeLessThanOrEqual(numberBucket(right))
    }),
    {
      examples: [
        [0, -0],
        [-0, 0],
        [-1, 1],
        [-2, -1],
        [-Number.MIN_VALUE, Number.MIN_VALUE],
        [-Number.MAX_VALUE, Number.MAX_VALUE],
      ],
    },
  )
})

test('a thousand whole numbers lie in a few dozen buckets', () => {
  const buckets = new Set(Array.from({ length: 1000 }, (_, number) => numberBucket(number)))
  expect(buckets.size).toBeGreaterThan(50)
  expect(buckets.size).toBeLessThan(150)
})
