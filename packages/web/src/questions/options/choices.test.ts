import { describe, expect, test } from 'vitest'
import { canFold, foldChoices, hasSearch, suggestedFirst, toChoices } from './choices.ts'

const choices = toChoices(['a', 'b', 'c', 'd', 'e'].map(value => ({ value, text: value.toUpperCase(), description: null })))
const values = (list: { value: string }[]) => list.map(({ value }) => value).join('')

describe('options of a label question', () => {
  test('numbers go by the settings, whatever the order on screen', () => {
    const ordered = suggestedFirst(choices, new Map([['d', 0.4]]))
    expect(ordered.map(({ value, number }) => value + number)).toEqual(['d4', 'a1', 'b2', 'c3', 'e5'])
  })

  test.each([
    { suggested: [], order: 'abcde' },
    {
      suggested: [
        ['b', 0.1],
        ['e', 0.9],
      ],
      order: 'ebacd',
    },
    // A missing score ranks below a score of 0.
    {
      suggested: [
        ['b', null],
        ['e', 0],
      ],
      order: 'ebacd',
    },
    {
      suggested: [
        ['e', 0.5],
        ['c', 0.5],
      ],
      order: 'ceabd',
    },
    { suggested: [['gone', 0.5]], order: 'abcde' },
  ] as { suggested: [string, number | null][]; order: string }[])('suggested $suggested -> $order', ({ suggested, order }) => {
    expect(values(suggestedFirst(choices, new Map(suggested)))).toBe(order)
  })

  test.each([
    { limit: 3, selected: [], shown: 'abc' },
    { limit: 3, selected: ['e'], shown: 'abce' },
    { limit: 3, selected: ['a', 'gone'], shown: 'abc' },
  ])('folded to $limit with $selected selected -> $shown', ({ limit, selected, shown }) => {
    expect(values(foldChoices(choices, limit, new Set(selected)))).toBe(shown)
  })

  test.each([
    { count: 14, visible: null, fold: false, search: false },
    { count: 15, visible: null, fold: false, search: true },
    { count: 5, visible: 3, fold: true, search: true },
    { count: 5, visible: 5, fold: false, search: false },
  ])('$count options, $visible visible: fold $fold, search $search', ({ count, visible, fold, search }) => {
    expect(canFold(count, visible)).toBe(fold)
    expect(hasSearch(count, visible)).toBe(search)
  })
})
