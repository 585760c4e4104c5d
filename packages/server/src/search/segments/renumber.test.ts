import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildSegment } from './build.ts'
import { renumberSegment } from './renumber.ts'

const aText = fc.array(fc.constantFrom('green', 'greet', 'apple', 'é', '東京'), { maxLength: 5 }).map(words => words.join(' '))
const aNumber = fc.option(fc.oneof(fc.nat(300), fc.maxSafeNat()))

describe('a segment that gets its record numbers later', () => {
  test('is the same, byte for byte, as one that is built with them, without the documents that have none', () => {
    const documents = fc.array(
      fc.record({
        recordNo: aNumber,
        pieces: fc.tuple(fc.array(aText, { maxLength: 2 }), fc.option(fc.array(aText, { maxLength: 1 }))),
      }),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(documents, drawn => {
        const local = buildSegment(drawn.map(({ pieces }, recordNo) => ({ recordNo, pieces })))
        const kept = drawn.flatMap(({ recordNo, pieces }) => (recordNo === null ? [] : [{ recordNo, pieces }]))
        if (kept.length === 0) return
        const numbers = drawn.map(({ recordNo }) => recordNo)
        expect(Buffer.from(renumberSegment(local, numbers))).toEqual(Buffer.from(buildSegment(kept)))
      }),
    )
  })
})
