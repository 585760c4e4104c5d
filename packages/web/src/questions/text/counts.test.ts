import { expect, test } from 'vitest'
import { countsOf, hasWords } from './counts.ts'

test.each([
  { text: '', characters: 0, words: 0 },
  { text: '  ', characters: 2, words: 0 },
  { text: 'two words', characters: 9, words: 2 },
  { text: 'yeah 🚀', characters: 6, words: 2 },
  { text: 'a\nb\tc', characters: 5, words: 3 },
])('"$text" has $characters characters and $words words', ({ text, characters, words }) => {
  expect(countsOf(text)).toEqual({ characters, words })
})

test('words are not counted where nothing parts them', () => {
  expect(hasWords('東京に行く')).toBe(false)
  expect(hasWords('to Tokyo')).toBe(true)
})
