import { describe, expect, test } from 'vitest'
import { editDistance, hasPhrase, matchesText } from './text-match.ts'
import { parseTextQuery } from './text-query.ts'

const finds = (query: string, fields: Record<string, string | string[]>, field?: string) =>
  matchesText(parseTextQuery(query), new Map(Object.entries(fields).map(([name, text]) => [name, [text].flat()])), field)

describe('a text query finds', () => {
  test.each<[string, string, boolean]>([
    ['green apple', 'an apple, green', true],
    ['green apple', 'an apple, red', false],
    ['green | apple', 'an apple, red', true],
    ['-apple', 'a pear', true],
    ['-apple', 'an apple', false],
    ['"green apple"', 'a green apple', true],
    ['"green apple"', 'an apple, green', false],
    ['"green apple"~2', 'apple green', true],
    ['"green apple"~1', 'apple green', false],
    ['"green apple"~1', 'green big apple', true],
    ['appl*', 'An Apple', true],
    ['aple~1', 'apple', true],
    ['appel~1', 'apple', false],
    ['appel~', 'apple', true],
    ['covid-19', '19 cases of covid', true],
    ['don', "don't", false],
    ['example', 'example.com', false],
    ['12', '12.5', false],
    ['1000', '1,000', false],
    ['cafe', 'Café', true],
    ['がな', 'ひらがな', true],
    ['タワ', 'タワー', true],
    ['京東', '東京', false],
    ['東京', '東京都', true],
    ['🦊', 'fox🦊', true],
    ['*', '', true],
    ['', 'anything', false],
    ['quick & fox', 'quick & fox', false],
  ])('%j in %j: %s', (query, text, found) => {
    expect(finds(query, { text })).toBe(found)
  })

  test('words may be in different fields, the parts of one word and of a phrase may not', () => {
    const fields = { text: 'cash', label: 'negative' }
    expect(finds('cash negative', fields)).toBe(true)
    expect(finds('cash-negative', fields)).toBe(false)
    expect(finds('"cash negative"', fields)).toBe(false)
  })

  test('a phrase stays within a piece, the parts of a word only within the field', () => {
    const fields = { chat: ['hello green', 'apple'] }
    expect(finds('"green apple"', fields)).toBe(false)
    expect(finds('green-apple', fields)).toBe(true)
  })

  test('with a field only there; everything is found even without it', () => {
    expect(finds('cash', { text: 'cash', label: 'x' }, 'label')).toBe(false)
    expect(finds('x', { text: 'cash', label: 'x' }, 'label')).toBe(true)
    expect(finds('*', { text: 'cash' }, 'label')).toBe(true)
    expect(finds('-cash', { text: 'cash' }, 'label')).toBe(true)
  })
})

test('a word that stands twice in a phrase needs two places', () => {
  expect(hasPhrase(['a', 'b'], ['a', 'a'], 2)).toBe(false)
  expect(hasPhrase(['a', 'b', 'a'], ['a', 'a'], 1)).toBe(true)
})

test('an exchange of two letters counts as two edits', () => {
  expect(editDistance('apple', 'appel')).toBe(2)
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('same', 'same')).toBe(0)
})
