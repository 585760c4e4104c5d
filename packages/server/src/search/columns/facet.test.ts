import { describe, expect, test } from 'vitest'
import { countNumbers, countTerms, countWords } from './facet.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'

function termsColumn(values: (string | string[] | null)[]): KeywordColumn {
  const column = new KeywordColumn()
  column.fill([...values.keys()], values)
  return column
}

function numbersColumn(values: (number | number[] | null)[]): NumberColumn {
  const column = new NumberColumn()
  column.fill([...values.keys()], values)
  return column
}

const all = (size: number) => Uint32Array.from({ length: size }, (_, i) => i)

describe('metrics of a terms property', () => {
  const column = termsColumn(['b', ['a', '__proto__', 'a'], null, 'a', 'b', '😀', '\uFFFD'])

  test.each([
    [10, ['a', 2], ['b', 2], ['__proto__', 1], ['\uFFFD', 1], ['😀', 1]],
    [1, ['a', 2]],
  ] as [limit: number, ...terms: [string, number][]][])('lists up to %i terms, the most frequent first', (limit, ...terms) => {
    const values = terms.map(([term, count]) => ({ term, count }))
    expect(countTerms(column, all(7), limit)).toEqual({ total: 7, values })
  })

  test('counts the given records only, also those behind the end of the column', () => {
    expect(countTerms(column, Uint32Array.of(1, 2, 5_000), 10)).toEqual({
      total: 2,
      values: [
        { term: '__proto__', count: 1 },
        { term: 'a', count: 1 },
      ],
    })
  })

  test('forgets terms that no record has any more', () => {
    const changed = termsColumn(['a', 'b'])
    changed.set(0, ['b'])
    expect(countTerms(changed, all(2), 10)).toEqual({ total: 2, values: [{ term: 'b', count: 2 }] })
  })
})

describe('facets', () => {
  test('list a thousand values and count the others together', () => {
    const column = termsColumn([...Array.from({ length: 5_002 }, (_, i) => `v${i}`), 'v5001'])
    const counted = countWords(column, all(5_003))
    if (!('values' in counted)) throw new Error('terms are values')
    expect([counted.values.length, counted.values[0], counted.other]).toEqual([1000, { value: 'v5001', count: 2 }, 4_002])
    const rest = counted.values.slice(1).map(({ value }) => value)
    expect(rest).toEqual(rest.toSorted())
  })

  test('a record counts once in a bucket, and a score below 0 in none', () => {
    const column = numbersColumn([[0.11, 0.12, 0.9], 0.9, [-0.4, 0.61], null])
    const counted = countNumbers(column, all(4), 'score')
    if (!('buckets' in counted)) throw new Error('scores are numbers')
    const filled = counted.buckets.flatMap(({ count }, i) => (count > 0 ? [[i, count]] : []))
    expect([counted.min, counted.max, filled]).toEqual([
      -0.4,
      0.9,
      [
        [2, 1],
        [12, 1],
        [18, 2],
      ],
    ])
  })

  test('numbers near 2^53 are told apart', () => {
    const column = numbersColumn([2 ** 53, 2 ** 53 + 2, -(2 ** 53), -0])
    expect(column.bounds()).toEqual({ min: -(2 ** 53), max: 2 ** 53 + 2 })
    expect(countNumbers(column, all(4), 'values')).toEqual({
      values: ['-9007199254740992', '0', '9007199254740992', '9007199254740994'].map(value => ({ value, count: 1 })),
      other: 0,
    })
  })
})
