import { expect, test } from 'vitest'
import { questionWith, suggestionOf } from '../question-fixtures.ts'
import { afterPick, fromSuggestion, summarize } from './value.ts'

const question = questionWith({ type: 'rating', options: [{ value: 0 }, { value: 5 }, { value: 10 }] })

test.each([
  { value: 0, filled: 0, text: '0' },
  { value: 10, filled: 10, text: '10' },
  { value: 1, filled: null, text: '' },
  { value: '5', filled: null, text: '' },
])('a suggestion of $value fills in $filled', ({ value, filled, text }) => {
  expect(fromSuggestion(suggestionOf(value), question)).toBe(filled)
  expect(summarize(value, question)).toBe(text)
})

test.each([
  { value: null, isPencil: false, picked: 0, next: 0 },
  { value: 0, isPencil: false, picked: 0, next: null },
  { value: 0, isPencil: true, picked: 0, next: 0 },
])('$value (pencil $isPencil), $picked picked -> $next', ({ value, isPencil, picked, next }) => {
  expect(afterPick(value, isPencil, picked)).toBe(next)
})
