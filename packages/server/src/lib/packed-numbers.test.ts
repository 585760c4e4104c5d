import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packNumbers, unpackNumbers } from './packed-numbers.ts'

test('numbers come back sorted, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), numbers => {
      expect(unpackNumbers(packNumbers(numbers))).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    }),
  )
})

test.each([
  { numbers: [], size: 0 },
  { numbers: [127], size: 1 },
  { numbers: [128], size: 2 },
  { numbers: [2 ** 32, 2 ** 32 + 1], size: 6 },
  { numbers: [Number.MAX_SAFE_INTEGER], size: 8 },
  { numbers: Array.from({ length: 500 }, (_, index) => 1_000_000 + index), size: 502 },
])('$numbers.length numbers take $size bytes', ({ numbers, size }) => {
  expect(packNumbers(numbers).length).toBe(size)
})
