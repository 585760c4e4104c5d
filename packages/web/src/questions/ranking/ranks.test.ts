import { ranksOf } from '@postil/domain/questions/answered'
import { describe, expect, test } from 'vitest'
import { optionsNamed, questionWith, suggestionOf } from '../question-fixtures.ts'
import { areEqual, nextUnranked, stepped, suggestedRanks, summarize, toValue, withRank } from './ranks.ts'

const options = optionsNamed('a', 'b', 'c')
const question = questionWith({ type: 'ranking', options })
const ranked = (text: string) => [...text].flatMap((value, rank) => (value === '-' ? [] : [{ value, rank: rank + 1 }]))

describe('ranking', () => {
  test('reads what it knows and nothing else', () => {
    const value = [
      { value: 'a', rank: 2 },
      { value: 'b', rank: null },
      { value: 'c', rank: 4 },
      { value: 'x', rank: 1 },
      'a',
      null,
    ]
    expect([...ranksOf(value, options)]).toEqual([['a', 2]])
    expect(ranksOf('a', options).size).toBe(0)
  })

  test('ties share a place; the answer is in order of places', () => {
    const ranks = withRank(withRank(withRank(new Map(), 'c', 1), 'a', 1), 'b', 3)
    expect(toValue(ranks, options)).toEqual([
      { value: 'a', rank: 1 },
      { value: 'c', rank: 1 },
      { value: 'b', rank: 3 },
    ])
    expect(summarize(toValue(ranks, options), question)).toBe('A = C > B')
  })

  test('nothing ranked is no answer', () => {
    expect(toValue(withRank(new Map([['a', 1]]), 'a', null), options)).toBeNull()
  })

  test.each([
    { rank: 2, by: -1, to: 1 },
    { rank: 1, by: -1, to: 1 },
    { rank: 3, by: 1, to: 3 },
    { rank: null, by: -1, to: 3 },
    { rank: null, by: 1, to: null },
  ] as const)('from $rank by $by -> $to', ({ rank, by, to }) => {
    expect(stepped(rank, by, 3)).toBe(to)
  })

  test.each([
    { ranks: 'a', after: 'a', next: 'b' },
    { ranks: 'c', after: 'c', next: 'a' },
    { ranks: 'ab', after: 'b', next: 'c' },
    { ranks: 'abc', after: 'b', next: null },
  ])('after $after with $ranks ranked comes $next', ({ ranks, after, next }) => {
    expect(nextUnranked(options, ranksOf(ranked(ranks), options), after)).toBe(next)
  })

  test.each([
    {
      value: ranked('cab'),
      ranks: [
        ['c', 1],
        ['a', 2],
        ['b', 3],
      ],
    },
    {
      value: [
        { value: 'b', rank: null },
        { value: 'a', rank: null },
      ],
      ranks: [
        ['b', 1],
        ['a', 2],
      ],
    },
    {
      value: [{ value: 'b' }, { value: 'a' }],
      ranks: [
        ['b', 1],
        ['a', 2],
      ],
    },
    {
      value: ['c', 'b'],
      ranks: [
        ['c', 1],
        ['b', 2],
      ],
    },
    {
      value: [
        { value: 'b', rank: 2 },
        { value: 'a', rank: null },
      ],
      ranks: [['b', 2]],
    },
    { value: 'a', ranks: [] },
  ])('a suggestion of $value', ({ value, ranks }) => {
    expect([...suggestedRanks(suggestionOf(value), question)]).toEqual(ranks)
  })

  test.each([
    { a: ranked('ab'), b: ranked('ab').reverse(), same: true },
    { a: ranked('ab'), b: ranked('ba'), same: false },
    { a: ranked('ab'), b: ranked('abc'), same: false },
    { a: null, b: [{ value: 'a', rank: null }], same: true },
  ])('$a and $b are equal: $same', ({ a, b, same }) => {
    expect(areEqual(a, b)).toBe(same)
  })
})
