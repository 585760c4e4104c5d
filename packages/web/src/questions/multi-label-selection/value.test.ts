import { expect, test } from 'vitest'
import { optionsNamed, questionWith, suggestionOf } from '../question-fixtures.ts'
import { afterPick, areEqual, fromSuggestion, summarize } from './value.ts'

const question = questionWith({
  type: 'multi_label_selection',
  options: optionsNamed('a', 'b', 'c'),
  visible_options: null,
  options_order: 'natural',
})

test.each([
  { value: null, picked: 'b', next: ['b'] },
  { value: ['b'], picked: 'a', next: ['a', 'b'] },
  { value: ['b'], picked: 'b', next: null },
  { value: ['gone', 'c'], picked: 'a', next: ['a', 'c'] },
])('$value, $picked picked -> $next', ({ value, picked, next }) => {
  expect(afterPick(value, picked, question)).toEqual(next)
})

test.each([
  { value: ['c', 'a'], filled: ['a', 'c'], text: 'A and C' },
  { value: ['gone'], filled: null, text: '' },
  { value: 'a', filled: null, text: '' },
])('a suggestion of $value fills in $filled', ({ value, filled, text }) => {
  expect(fromSuggestion(suggestionOf(value), question)).toEqual(filled)
  expect(summarize(value, question)).toBe(text)
})

test.each([
  { a: ['a', 'b'], b: ['b', 'a'], same: true },
  { a: ['a'], b: ['a', 'b'], same: false },
  { a: null, b: null, same: true },
  { a: null, b: ['a'], same: false },
])('$a and $b are equal: $same', ({ a, b, same }) => {
  expect(areEqual(a, b)).toBe(same)
})
