import { describe, expect, test } from 'vitest'
import { groupEntries, normalize, rankEntries, scoreEntry } from './palette-match.ts'

const entry = (title: string, group = 'Commands', words = '') => ({ title, group, words })

describe('the palette finds', () => {
  test.each([
    { query: 'sub', title: 'Submit', found: true },
    { query: 'SUB', title: 'Submit', found: true },
    { query: 'prochaine', title: 'Prochàine', found: true },
    { query: 'schliessen', title: 'Schließen', found: true },
    { query: 'espanol', title: 'Language: Español', found: true },
    { query: 'sbmt', title: 'Submit', found: true },
    { query: 'bmu', title: 'Submit', found: false },
    { query: 'rec next', title: 'Next record', found: true },
    { query: 'next house', title: 'Next record', found: false },
    { query: 'xy', title: 'x and y', found: false },
    { query: 'drk', title: 'documents of the reverent kind', found: false },
    { query: '検索', title: 'レコードを検索', found: true },
  ])('$query in $title: $found', ({ query, title, found }) => {
    expect(scoreEntry(entry(title), query) > 0).toBe(found)
  })

  test('an entry by its heading and its other words', () => {
    expect(scoreEntry(entry('care-reviews', 'Datasets'), 'datas')).toBeGreaterThan(0)
    expect(scoreEntry(entry('care-reviews', 'Datasets', 'support team'), 'support')).toBeGreaterThan(0)
  })
})

test('the start of the title comes first, then starts of words, then anything inside, then scattered letters', () => {
  const titles = ['Distance of records', 'Unrecorded', 'Next record', 'Record by id', 'R e c o r d s'].map(title => entry(title))
  expect(rankEntries(titles, 'record', 9).map(({ title }) => title)).toEqual([
    'Record by id',
    'Distance of records',
    'Next record',
    'Unrecorded',
    'R e c o r d s',
  ])
})

test('without a query everything stays as it came, up to the limit', () => {
  expect(rankEntries([entry('b'), entry('a'), entry('c')], ' ', 2).map(({ title }) => title)).toEqual(['b', 'a'])
})

test('groups keep the order of their best rows', () => {
  const groups = groupEntries([entry('1', 'B'), entry('2', 'A'), entry('3', 'B')])
  expect(groups.map(({ group, entries }) => [group, entries.length])).toEqual([
    ['B', 2],
    ['A', 1],
  ])
})

test('letters lose case and accents', () => {
  expect(normalize('Ångström ÉTÉ ﬁn')).toBe('angstrom ete fin')
})
