import { describe, expect, test } from 'vitest'
import { LANGUAGES } from './i18n.ts'
import { formatNumber, formatPercent, pluralOf } from './numbers.ts'

const NUMBERS = [
  ...[0, 1, 2, 9, 10, 99, 100, 999, 1_000, 1_001, 9_999, 10_000, 99_999, 100_000, 999_999, 1_000_000, 12_345_678],
  ...[Number.MAX_SAFE_INTEGER, 2 ** 60, -1, -1_234, -12_345, -0, 0.5, 1.25, 1_234.5678, 1e21, Number.NaN, Infinity],
]
/** All fractions k/n with n up to 120, and some other numbers. */
const SHARES = [
  ...Array.from({ length: 120 }, (_, below) => Array.from({ length: below + 2 }, (_, k) => k / (below + 1))).flat(),
  ...[0.145, 0.285, 0.005, 0.0049, 1e-7, 1.5, 8, 12, 123.4, -0.25, -0.001, Number.NaN, Infinity],
]

describe.each(LANGUAGES)('in %s, as Intl does it', language => {
  test.each(NUMBERS)('%d', value => {
    expect(formatNumber(value, language)).toBe(new Intl.NumberFormat(language).format(value))
  })

  test('shares', () => {
    const format = new Intl.NumberFormat(language, { style: 'percent' })
    expect(SHARES.map(share => formatPercent(share, language))).toEqual(SHARES.map(share => format.format(share)))
  })

  test('the form of a word with a count', () => {
    const rules = new Intl.PluralRules(language)
    const counts = [...Array.from({ length: 1_200 }, (_, count) => count), ...NUMBERS, 999_999, 1_000_000, 1_000_001, 2_000_000]
    expect(counts.map(count => pluralOf(count, language))).toEqual(counts.map(count => rules.select(count)))
  })
})
