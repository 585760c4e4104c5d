import { expect, test } from 'vitest'
import { optionsNamed, questionWith, suggestionOf } from '../question-fixtures.ts'
import { afterPick, fromSuggestion, summarize } from './value.ts'

const question = questionWith({ type: 'label_selection', options: optionsNamed('a', 'b'), visible_options: null })

test.each([
  { value: null, isPencil: false, picked: 'a', next: 'a' },
  { value: 'b', isPencil: false, picked: 'a', next: 'a' },
  { value: 'a', isPencil: false, picked: 'a', next: null },
  // Picking an unconfirmed suggestion confirms it.
  { value: 'a', isPencil: true, picked: 'a', next: 'a' },
])('$value (pencil $isPencil), $picked picked -> $next', ({ value, isPencil, picked, next }) => {
  expect(afterPick(value, isPencil, picked)).toBe(next)
})

test.each([
  { value: 'a', filled: 'a', text: 'A' },
  { value: 'gone', filled: null, text: '' },
  { value: ['a'], filled: null, text: '' },
  { value: null, filled: null, text: '' },
])('a suggestion of $value fills in $filled', ({ value, filled, text }) => {
  expect(fromSuggestion(suggestionOf(value), question)).toBe(filled)
  expect(summarize(value, question)).toBe(text)
})
