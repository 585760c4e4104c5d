import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBlock, SCORE_ONE } from './block.ts'
import { compileScan } from './compile.ts'
import { scanErrorMax, similarity, toQueryVector } from './cosine.ts'

const toBytes = (vector: readonly number[]) => new Uint8Array(Float64Array.from(vector).buffer)

test('scan.wasm is what scan.wat compiles to', async () => {
  const committed = readFileSync(new URL('./scan.wasm', import.meta.url))
  expect(Buffer.from(await compileScan()).equals(committed)).toBe(true)
})

describe('similarity', () => {
  test.each([
    { query: [1, 0], vector: [2, 0], score: 1 },
    { query: [1, 0], vector: [-3, 0], score: 0 },
    { query: [1, 0], vector: [0, 5], score: 0.5 },
    { query: [3, 4], vector: [4, 3], score: 0.98 },
    { query: [1, 1], vector: [0, 0], score: 0.5 },
    { query: [1e300, 1e300], vector: [1e300, 0], score: (1 + Math.SQRT1_2) / 2 }, // squares overflow
    { query: [1e-310, 0], vector: [5e-324, 5e-324], score: (1 + Math.SQRT1_2) / 2 }, // squares underflow
  ])('of $query and $vector is $score', ({ query, vector, score }) => {
    expect(similarity(toQueryVector(query, 'most_similar'), toBytes(vector))).toBeCloseTo(score, 12)
    expect(similarity(toQueryVector(query, 'least_similar'), toBytes(vector))).toBeCloseTo(1 - score, 12)
  })

  test('is read from bytes that begin anywhere', () => {
    const shifted = new Uint8Array(17)
    shifted.set(toBytes([3, 4]), 1)
    expect(similarity(toQueryVector([3, 4], 'most_similar'), shifted.subarray(1))).toBeCloseTo(1, 12)
  })
})

test('the scan errs by no more than its bound, one row at a time or all at once', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.constant(0),
  )
  const vectors = fc
    .integer({ min: 1, max: 140 })
    .chain(dimensions =>
      fc.array(fc.array(number, { minLength: dimensions, maxLength: dimensions }), { minLength: 2, maxLength: 10 }),
    )
  const check = ([vector = [], ...rows]: number[][]) => {
    const block = createBlock(vector.length, 2 ** 20)
    for (const [row, value] of rows.entries()) block.put(row, toBytes(value))
    const query = toQueryVector(vector, 'most_similar')
    block.setQuery(query)
    const scores = [...block.scan(rows.length)]
    for (const [row, value] of rows.entries()) {
      const cosine = similarity(query, toBytes(value)) * 2 - 1
      expect(Math.abs((scores[row] as number) / SCORE_ONE - cosine)).toBeLessThanOrEqual(scanErrorMax(vector.length))
      expect(block.score(row)).toBe(scores[row])
    }
  }
  fc.assert(fc.property(vectors, check), { numRuns: 300 })
})
