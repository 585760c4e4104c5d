import { describe, expect, test } from 'vitest'
import {
  countTicked,
  EVERYTHING,
  isSameSelection,
  isTicked,
  missingRuns,
  NOTHING,
  pageState,
  positionsBetween,
  type Selection,
  withTicks,
} from './selection.ts'

const some = (...ids: string[]): Selection => ({ kind: 'some', ids: new Set(ids) })
const allBut = (...ids: string[]): Selection => ({ kind: 'all', except: new Set(ids) })

describe('ticking', () => {
  test.each<[string, Selection, string[], boolean, Selection]>([
    ['one', NOTHING, ['a'], true, some('a')],
    ['one more, on another page', some('a'), ['x'], true, some('a', 'x')],
    ['one twice', some('a'), ['a'], true, some('a')],
    ['one away', some('a', 'b'), ['a'], false, some('b')],
    ['one away from all', EVERYTHING, ['a'], false, allBut('a')],
    ['one back to all', allBut('a', 'b'), ['b'], true, allBut('a')],
    ['many', some('a'), ['b', 'c'], true, some('a', 'b', 'c')],
  ])('%s', (_, before, ids, isOn, after) => {
    expect(withTicks(before, ids, isOn)).toEqual(after)
    for (const id of ids) expect(isTicked(after, id)).toBe(isOn)
  })

  test('changes nothing in place', () => {
    const before = some('a')
    withTicks(before, ['b'], true)
    expect(before).toEqual(some('a'))
  })
})

test.each([
  [NOTHING, 0],
  [some('a', 'b'), 2],
  [EVERYTHING, 412],
  [allBut('a'), 411],
])('%j of 412 are %i', (selection, count) => expect(countTicked(selection, 412)).toBe(count))

describe('the box above the list', () => {
  test.each<[Selection, string[], string]>([
    [NOTHING, ['a', 'b'], 'none'],
    [NOTHING, [], 'none'],
    [some('a'), ['a', 'b'], 'some'],
    [some('a', 'b'), ['a', 'b'], 'all'],
    [some('x'), ['a', 'b'], 'some'],
    [EVERYTHING, ['a', 'b'], 'all'],
    [allBut('a'), ['a', 'b'], 'some'],
  ])('%j over %j is %s', (selection, ids, state) => expect(pageState(selection, ids, 40)).toBe(state))
})

test.each([
  [3, 6, [3, 4, 5, 6]],
  [6, 3, [3, 4, 5, 6]],
  [4, 4, [4]],
])('positions from %i to %i', (from, to, positions) => expect(positionsBetween(from, to)).toEqual(positions))

describe('a range over pages that were not seen', () => {
  const known = new Set([3, 4, 9])
  const runs = (from: number, to: number, max = 100) => missingRuns(positionsBetween(from, to), at => known.has(at), max)
  test.each<[number, number, number, [number, number][]]>([
    [3, 4, 100, []],
    [1, 4, 100, [[1, 2]]],
    [
      3,
      11,
      100,
      [
        [5, 4],
        [10, 2],
      ],
    ],
    [
      5,
      8,
      3,
      [
        [5, 3],
        [8, 1],
      ],
    ],
  ])('%i to %i, %i at a time', (from, to, max, asked) => expect(runs(from, to, max)).toEqual(asked))
})

test.each<[string, Selection, Selection, boolean]>([
  ['the same records', some('a', 'b'), some('b', 'a'), true],
  ['one more', some('a'), some('a', 'b'), false],
  ['another one', some('a'), some('b'), false],
  ['all but the same', allBut('a'), allBut('a'), true],
  ['some and all but these', some('a'), allBut('a'), false],
  ['nothing and everything', NOTHING, EVERYTHING, false],
])('two selections: %s', (_, one, other, isSame) => {
  expect(isSameSelection(one, other)).toBe(isSame)
})
