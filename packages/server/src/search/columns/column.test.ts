/** Content of columns after values were set, replaced, cleared and filled, and the memory they use. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IdColumn } from './id-column.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import { UserRows } from './user-rows.ts'

const ordinal = fc.nat({ max: 40 })
const write = <T>(value: fc.Arbitrary<T>) => fc.tuple(ordinal, fc.array(value, { maxLength: 4 }))
const text = fc.constantFrom('a', 'b', '__proto__', 'constructor', '')
const number = fc.constantFrom(0, -0, 1, 2 ** 53, -1.5)

describe('a keyword column', () => {
  test('holds the values that were set last, each once', () => {
    const property = fc.property(fc.array(write(text)), writes => {
      const column = new KeywordColumn()
      const expected = new Map<number, string[]>()
      for (const [ordinal, values] of writes) {
        column.set(ordinal, values)
        expected.set(ordinal, [...new Set(values)])
      }
      for (const [ordinal, values] of expected) expect(column.valuesAt(ordinal)).toEqual(values)
    })
    fc.assert(property)
  })

  test('is filled in bulk with single values, lists and nothing', () => {
    const column = new KeywordColumn()
    column.fill([1, 2, 3, 9], ['a', ['b', 'a', 'b'], null, []])
    expect([0, 1, 2, 3, 9, 10].map(ordinal => column.valuesAt(ordinal))).toEqual([[], ['a'], ['b', 'a'], [], [], []])
  })

  test('reuses the memory of lists that were replaced', () => {
    const column = new KeywordColumn()
    for (let i = 0; i < 200_000; i++) column.set(i % 100, ['a', 'b', `${i % 7}`])
    expect(column.valuesAt(99)).toEqual(['a', 'b', `${199_999 % 7}`])
    expect(column.bytes).toBeLessThan(100_000)
  })
})

describe('a number column', () => {
  test('holds the values that were set last, -0 as 0, and their bounds', () => {
    const property = fc.property(fc.array(write(number)), writes => {
      const column = new NumberColumn()
      const expected = new Map<number, number[]>()
      for (const [ordinal, values] of writes) {
        column.set(ordinal, values)
        expected.set(
          ordinal,
          values.map(value => (value === 0 ? 0 : value)),
        )
        const all = [...expected.values()].flat()
        expect(column.bounds()).toEqual(all.length === 0 ? null : { min: Math.min(...all), max: Math.max(...all) })
      }
      for (const [ordinal, values] of expected) expect(column.valuesAt(ordinal)).toEqual(values)
    })
    fc.assert(property)
  })

  test('reuses the memory of lists that were replaced', () => {
    const column = new NumberColumn()
    for (let i = 0; i < 200_000; i++) column.set(i % 100, [1, 2, i])
    expect(column.valuesAt(99)).toEqual([1, 2, 199_999])
    expect(column.bytes).toBeLessThan(200_000)
  })
})

describe('an id column', () => {
  const id = (n: number) => `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

  test.each<[name: string, writes: [ordinal: number, id: number][], isAscending: boolean]>([
    [
      'ids that ascend',
      [
        [0, 1],
        [1, 2],
        [5, 9],
      ],
      true,
    ],
    [
      'an id that is written again',
      [
        [0, 1],
        [1, 2],
        [0, 1],
      ],
      true,
    ],
    [
      'an id before the last one',
      [
        [0, 2],
        [1, 1],
      ],
      false,
    ],
    [
      'equal ids',
      [
        [0, 2],
        [1, 2],
      ],
      false,
    ],
    [
      'an ordinal that is set after a later one, with an id between its neighbours',
      [
        [0, 1],
        [5, 9],
        [3, 4],
      ],
      true,
    ],
    [
      'an ordinal that is set after a later one, with a larger id',
      [
        [0, 1],
        [5, 9],
        [3, 10],
      ],
      false,
    ],
    [
      'an ordinal that is set after a later one, with a smaller id than the one before',
      [
        [1, 5],
        [5, 9],
        [3, 4],
      ],
      false,
    ],
    [
      'an id that changes',
      [
        [0, 1],
        [1, 5],
        [0, 9],
      ],
      false,
    ],
  ])('knows whether ids ascend: %s', (_name, writes, isAscending) => {
    const column = new IdColumn()
    for (const [ordinal, n] of writes) column.set(ordinal, id(n))
    expect(column.isAscending).toBe(isAscending)
  })

  test('knows whether ids ascend after others have moved up', () => {
    const column = new IdColumn()
    column.fill([0, 1, 2], [id(1), id(5), id(9)])
    column.moveUp({ from: 2, end: 3, by: 2 })
    column.set(2, id(7))
    expect(column.isAscending).toBe(true)
    column.set(3, id(20))
    expect(column.isAscending).toBe(false)
  })

  test.each(['', 'x', '018F0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-00000000000'])('refuses %j', text => {
    expect(() => new IdColumn().set(0, text)).toThrow('UUID')
  })
})

describe('rows of users', () => {
  test('are one for each user and record, and free slots are used again', () => {
    const change = fc.record({ ordinal, user: fc.constantFrom('ann', 'ben', '__proto__'), isRemoved: fc.boolean() })
    const property = fc.property(fc.array(change), changes => {
      const rows = new UserRows()
      const expected = new Set<string>()
      for (const { ordinal, user, isRemoved } of changes) {
        const slot = rows.find(ordinal, user)
        expect(slot >= 0).toBe(expected.has(`${ordinal} ${user}`))
        if (!isRemoved) rows.add(ordinal, user)
        else if (slot >= 0) rows.remove(slot)
        if (isRemoved) expected.delete(`${ordinal} ${user}`)
        else expected.add(`${ordinal} ${user}`)
      }
      expect(rows.ofUser(null).count()).toBe(expected.size)
      const ofAnn = [...expected].filter(row => row.endsWith(' ann')).map(row => Number.parseInt(row, 10))
      expect([...rows.toOrdinals(rows.ofUser('ann')).ordinals()]).toEqual(ofAnn.sort((a, b) => a - b))
      expect(rows.ofUser('nobody').count()).toBe(0)
      expect(rows.size).toBeLessThanOrEqual(41 * 3)
    })
    fc.assert(property)
  })
})
