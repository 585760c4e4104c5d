import { expect, test } from 'vitest'
import { suggestionOf } from './question-fixtures.ts'
import { suggestedBy, suggestionTitle } from './suggested.ts'

test.each([
  { suggestion: null, by: [] },
  { suggestion: suggestionOf('a', 0), by: [['a', 0]] },
  { suggestion: suggestionOf('a'), by: [['a', null]] },
  {
    suggestion: suggestionOf(['a', 'b'], [0, 0.5]),
    by: [
      ['a', 0],
      ['b', 0.5],
    ],
  },
  {
    suggestion: suggestionOf(['a', 'b']),
    by: [
      ['a', null],
      ['b', null],
    ],
  },
])('$suggestion.value with $suggestion.score', ({ suggestion, by }) => {
  expect([...suggestedBy(suggestion)]).toEqual(by)
})

test('a tooltip has two decimals and the agent', () => {
  expect(suggestionTitle(0, 'gpt')).toBe('Suggested with a score of 0.00, by gpt')
  expect(suggestionTitle(null, null)).toBe('Suggested')
})
