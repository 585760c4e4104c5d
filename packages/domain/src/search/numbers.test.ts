import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { processorMs } from '../testing/processor-time.ts'
import { toDecimalText, toNumberBounds, toNumberRange } from './numbers.ts'

describe('a number in a filter', () => {
  test.each<[string | number, number]>([
    ['5', 5],
    ['5.0', 5],
    ['5.5', 5.5],
    [' -3 ', -3],
    ['1e3', 1000],
    [7, 7],
    ['-9223372036854775808', -(2 ** 63)],
  ])('%j equals the integer %d', (value, number) => {
    expect(toNumberRange(value, 'integer')).toEqual({ from: number, to: number })
  })

  test.each(['', ' ', 'abc', '0x10', 'NaN', 'Infinity', '1,000', '9223372036854775808', '1e400'])('refuses %j', value => {
    expect(() => toNumberRange(value, 'integer')).toThrow(DomainError)
  })

  test.each(['abc', '', '1e39', '1e400'])('refuses %j as a float', value => {
    expect(() => toNumberRange(value, 'float')).toThrow(DomainError)
  })

  test.each(['0', '0.', '1e'])('refuses a million digits after %j without trying every way to split them', async start => {
    const refuse = () => expect(() => toNumberRange(`${start}${'0'.repeat(1_000_000)}x`, 'float')).toThrow(DomainError)
    // Quadratic time would take many minutes.
    expect(await processorMs(refuse)).toBeLessThan(5_000)
  })

  test('as a float equals all that is the same in 32 bits', () => {
    const { from, to } = toNumberRange('0.1', 'float')
    expect(0.10000000149011612).toBeLessThanOrEqual(to)
    expect(0.1).toBeGreaterThanOrEqual(from)
    expect(0.10000001).toBeGreaterThan(to)
  })

  test('the ends of a float range are the last numbers that round to it', () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true, max: Math.fround(1e38), min: Math.fround(-1e38) })
    fc.assert(
      fc.property(float, value => {
        const { from, to } = toNumberRange(value, 'float')
        // One step of a 64-bit number at the end of the range. 2 ** -149 is the smallest step in 32 bits.
        const beyond = Math.max(Math.abs(value), 2 ** -149) * 2 ** -52
        expect(Math.fround(from) === value && Math.fround(to) === value).toBe(true)
        expect(Math.fround(from - beyond) === value || Math.fround(to + beyond) === value).toBe(false)
      }),
      { examples: [[0], [-0], [2 ** -149]] },
    )
  })
})

test('bounds may be open on one side', () => {
  expect(toNumberBounds({ ge: 1, le: null }, 'integer')).toEqual({ from: 1, to: null })
  expect(toNumberBounds({ ge: null, le: '2.5' }, 'integer')).toEqual({ from: null, to: 2.5 })
})

test.each([
  [1, '1.0'],
  [-2, '-2.0'],
  [2.5, '2.5'],
])('among texts the number %d is %j', (number, text) => {
  expect(toDecimalText(number)).toBe(text)
})
