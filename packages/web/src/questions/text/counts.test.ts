import { expect, test } from 'vitest'
import { countsOf, hasWords, overLimits } from './counts.ts'

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

test.each([
  [{ characters: 5, words: 2 }, { characters: 5, words: 2 }, true, { characters: 0, words: 0 }],
  [{ characters: 6, words: 4 }, { characters: 5, words: 2 }, true, { characters: 1, words: 2 }],
  [{ characters: 900, words: 4 }, { characters: null, words: null }, true, { characters: 0, words: 0 }],
  // Without spaces, words cannot be counted.
  [{ characters: 6, words: 4 }, { characters: null, words: 2 }, false, { characters: 0, words: 0 }],
])('%j against %j', (counts, limits, canCountWords, over) => {
  expect(overLimits(counts, limits, canCountWords)).toEqual(over)
})
