import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renumber } from '../insertion.ts'
import { RecordNumbers } from './record-numbers.ts'

const batch = fc.array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(2 ** 40, 2 ** 53 - 1)), { maxLength: 12 })
const listed = (numbers: RecordNumbers) => Array.from({ length: numbers.size }, (_, ordinal) => numbers.at(ordinal))

test('ordinals are dense and in the order of record numbers, in whatever order these become known', () => {
  const property = fc.property(fc.array(batch, { maxLength: 8 }), batches => {
    const numbers = new RecordNumbers()
    const known = new Set<number>()
    for (const recordNos of batches) {
      numbers.add(recordNos)
      for (const recordNo of recordNos) known.add(recordNo)
      expect(listed(numbers)).toEqual([...known].sort((a, b) => a - b))
    }
    expect(listed(numbers).map(recordNo => numbers.find(recordNo))).toEqual(listed(numbers).map((_, ordinal) => ordinal))
    expect([...numbers.ordinalsOf([...known])]).toEqual([...known].map(recordNo => numbers.find(recordNo)))
    expect([0, 61, 2 ** 41].map(recordNo => numbers.find(recordNo))).toEqual([-1, -1, -1])
  })
  fc.assert(property, { numRuns: 300 })
})

test('what is known by its ordinal is renumbered when others are inserted', () => {
  const property = fc.property(batch, batch, (before, added) => {
    const numbers = new RecordNumbers()
    numbers.add(before)
    const recordNos = listed(numbers)
    const ordinals = Uint32Array.from(recordNos, (_, ordinal) => ordinal)
    const insertion = numbers.add(added)
    if (insertion !== null) renumber(ordinals, insertion)
    expect(Array.from(ordinals, ordinal => numbers.at(ordinal))).toEqual(recordNos)
  })
  fc.assert(property, { numRuns: 300 })
})

test('numbers that follow the known ones move nothing', () => {
  const numbers = new RecordNumbers()
  expect([numbers.add([5, 7]), numbers.add([7, 5, 9]), numbers.add([])]).toEqual([null, null, null])
  expect(numbers.add([8, 6])).toEqual({ before: Uint32Array.of(1, 2), sums: Uint32Array.of(1, 2), size: 3 })
})

test('values of an unknown record are refused', () => {
  const numbers = new RecordNumbers()
  numbers.add([1, 3])
  expect(() => numbers.ordinalsOf([1, 2])).toThrow('does not know a record')
})
