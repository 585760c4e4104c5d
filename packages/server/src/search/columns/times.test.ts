import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toMicros, toTimeRanges, toTimeValues } from './times.ts'

const time = fc
  .tuple(
    fc.date({ min: new Date('1685-01-01T00:00:00Z'), max: new Date('2254-12-31T23:59:59Z'), noInvalidDate: true }),
    fc.nat({ max: 999 }),
  )
  .map(([date, micros]) => `${date.toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}`)

describe('times as microseconds', () => {
  test.each([
    ['1970-01-01T00:00:00.000000', 0],
    ['1970-01-01T00:00:01.000002', 1_000_002],
    ['1969-12-31T23:59:59.999999', -1],
    ['2026-11-15T12:00:00.000001', 1_794_744_000_000_001],
    ['0000-01-01T00:00:00.000000', -62_167_219_200_000_000],
    ['0099-12-31T00:00:00.000000', -59_011_545_600_000_000],
  ])('%s is %i', (text, micros) => {
    expect(toMicros(text)).toBe(micros)
  })

  test('keep the order of their texts', () => {
    const property = fc.property(time, time, (left, right) => {
      const expected = left === right ? 0 : left < right ? -1 : 1
      expect(Math.sign(toMicros(left) - toMicros(right))).toBe(expected)
    })
    fc.assert(property)
  })

  test('a text that is not a time bounds the times before and after it', () => {
    const bound = fc.oneof(
      time.chain(text => fc.nat({ max: 26 }).map(end => text.slice(0, end))),
      fc.string(),
      time.map(text => `${text}5`),
    )
    const property = fc.property(time, bound, (text, bound) => {
      const micros = toMicros(text)
      const [range] = toTimeRanges([{ from: bound, to: bound }])
      expect([micros >= Number(range?.from), micros <= Number(range?.to)]).toEqual([text >= bound, text <= bound])
    })
    fc.assert(property)
  })

  test.each([
    '',
    'constructor',
    '2026',
    '2026-02-30T00:00:00.000000',
    '2026-11-15T12:00:00.000001Z',
    '2026-13-15T12:00:00.000001',
  ])('no time equals %j', text => {
    expect(toTimeValues([text])).toEqual([])
  })
})
