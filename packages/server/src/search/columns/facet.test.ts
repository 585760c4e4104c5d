import { describe, expect, test } from 'vitest'
import { countEach, countNumbers, countWords } from './facet.ts'
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

const valued = (values: [value: string, count: number][], other = 0) => ({
  values: values.map(([value, count]) => ({ value, count })),
  other,
})

describe('facets of terms', () => {
  const column = termsColumn(['b', ['a', '__proto__', 'a'], null, 'a', 'b', '😀', '\uFFFD'])

  test.each<[valuesMax: number, values: [string, number][], other: number]>([
    [
      10,
      [
        ['a', 2],
        ['b', 2],
        ['__proto__', 1],
        ['\uFFFD', 1],
        ['😀', 1],
      ],
      0,
    ],
    [1, [['a', 2]], 5],
  ])('list up to %i terms, the most frequent first', (valuesMax, values, other) => {
    expect(countWords(column, all(7), valuesMax)).toEqual(valued(values, other))
  })

  test('count the given records only, also those behind the end of the column', () => {
    const expected = valued([
      ['__proto__', 1],
      ['a', 1],
    ])
    expect(countWords(column, Uint32Array.of(1, 2, 5_000))).toEqual(expected)
  })

  test('forget terms that no record has any more', () => {
    const changed = termsColumn(['a', 'b'])
    changed.set(0, ['b'])
    expect(countWords(changed, all(2))).toEqual(valued([['b', 2]]))
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
    expect(countEach(column, all(4))).toEqual({
      values: ['-9007199254740992', '0', '9007199254740992', '9007199254740994'].map(value => ({ value, count: 1 })),
      other: 0,
    })
  })
})
