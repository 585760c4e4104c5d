import { expect, test } from 'vitest'
import { searchTerms } from './search-terms.ts'

test.each([
  { query: 'fox(', terms: ['fox'] },
  { query: 'late -fee', terms: ['late'] },
  { query: '"late fee" | refun*', terms: ['late fee', 'refun*'] },
  { query: '*', terms: [] },
  { query: '', terms: [] },
  { query: '((((', terms: [] },
])('$query marks $terms', ({ query, terms }) => {
  expect(searchTerms(query).map(({ text, isPrefix }) => (isPrefix ? `${text}*` : text))).toEqual(terms)
})
