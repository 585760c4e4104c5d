import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortByKey } from './sort-by-key.ts'

const key = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 2 ** 53, -(2 ** 53), 5e-324, -5e-324, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  fc.double({ noNaN: true }),
  fc.integer(),
)

test('ordinals are sorted by any numbers, and equal ones keep their order', () => {
  // Covers both sort algorithms: short lists use insertion sort, long ones radix sort.
  const rows = fc.array(fc.record({ ordinal: fc.nat(), key }), { maxLength: 400, size: 'max' })
  const property = fc.property(rows, rows => {
    const sorted = sortByKey(
      Uint32Array.from(rows, ({ ordinal }) => ordinal),
      Float64Array.from(rows, row => row.key),
    )
    const expected = rows.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    expect([...sorted]).toEqual(expected.map(({ ordinal }) => ordinal))
  })
  fc.assert(property, { numRuns: 500 })
})
