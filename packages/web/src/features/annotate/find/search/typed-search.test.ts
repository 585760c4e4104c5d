import { describe, expect, test } from 'vitest'
import { parseHistory, readTyped, remembered, type Search, suggestions } from './typed-search.ts'

const fields = [
  { name: 'text', title: 'Message' },
  { name: 'reply', title: 'Proposed reply' },
]

test.each<[string, string | null, Search | null]>([
  ['late fee', null, { text: 'late fee', field: null }],
  ['  late fee ', 'reply', { text: 'late fee', field: 'reply' }],
  ['text:"late fee"', null, { text: '"late fee"', field: 'text' }],
  ['text: late fee', 'reply', { text: 'late fee', field: 'text' }],
  ['Proposed Reply:late', null, { text: 'late', field: 'reply' }],
  ['TEXT:late', null, { text: 'late', field: 'text' }],
  ['time:12:30', null, { text: 'time:12:30', field: null }],
  ['text:', null, null],
  [':late', null, { text: ':late', field: null }],
  ['   ', 'text', null],
])('%j typed with field %j searches for %j', (typed, field, expected) => {
  expect(readTyped(typed, field, fields)).toEqual(expected)
})

const search = (text: string, field: string | null = null): Search => ({ text, field })

describe('the history', () => {
  test('has the newest first, each once, and ten at most', () => {
    const many = Array.from({ length: 12 }, (_, i) => search(String(i)))
    expect(many.reduce(remembered, [] as Search[]).map(({ text }) => text)).toEqual([
      '11',
      '10',
      '9',
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
      '2',
    ])
    expect(remembered([search('a'), search('b')], search('b'))).toEqual([search('b'), search('a')])
    expect(remembered([search('a')], search('a', 'text'))).toHaveLength(2)
  })

  test('offers what holds the typed words, but not what is on screen', () => {
    const history = [search('late fee'), search('Late', 'text'), search('parcel')]
    expect(suggestions(history, 'late', null)).toEqual(history.slice(0, 2))
    expect(suggestions(history, '', search('parcel'))).toEqual(history.slice(0, 2))
  })

  test.each([null, '', '{}', '[1,{"text":1}]', 'null', '[{"text":"a"}]'])('kept as %j is empty', stored => {
    expect(parseHistory(stored)).toEqual([])
  })
})
