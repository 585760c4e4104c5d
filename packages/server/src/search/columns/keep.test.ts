import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bitmap } from '../bitmap.ts'
import { keepWords } from './keep.ts'
import { KeywordColumn } from './keyword-column.ts'

const word = fc.constantFrom('web', 'mail', 'shop')
const record = fc.record({ values: fc.array(word, { maxLength: 1 }), percent: fc.nat({ max: 99 }) })

test('a filter by words keeps the records that match, whether few or many were left', () => {
  const records = fc.array(record, { maxLength: 200, size: 'max' })
  const property = fc.property(records, fc.constantFrom(5, 25, 50, 100), fc.subarray(['web', 'mail']), (all, share, values) => {
    const column = new KeywordColumn()
    const bits = new Bitmap()
    all.forEach((one, ordinal) => {
      column.set(ordinal, one.values)
      if (one.percent < share) bits.set(ordinal)
    })
    keepWords(bits, column, { kind: 'values', target: { kind: 'record', property: 'status', as: 'keyword' }, values })
    const expected = all.flatMap((one, ordinal) =>
      one.percent < share && one.values.some(value => values.includes(value)) ? [ordinal] : [],
    )
    expect([...bits.ordinals()]).toEqual(expected)
  })
  fc.assert(property, { numRuns: 300 })
})
