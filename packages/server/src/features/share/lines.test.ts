import { describe, expect, test } from 'vitest'
import { toLines } from './lines.ts'

describe('lines', () => {
  test.each([
    ['nothing', '', []],
    ['what fits', 'one two', ['one two']],
    ['break at blanks', 'seven nice words', ['seven nice', 'words']],
    ['break after signs that join words', 'letters_of_1905-06', ['letters_of_', '1905-06']],
    ['break a long word anywhere', 'abcdeabcdeabcde', ['abcdeabcdeabc', 'de']],
    ['of broad letters hold fewer', 'MMMMMMMMMMMM', ['MMMMMMMM', 'MMMM']],
    ['of Chinese hold fewer still', '良良良良良良良良良', ['良良良良良良良', '良良']],
    ['end with dots when the last is full', 'seven nice words and many more', ['seven nice', 'words and m…']],
    ['keep an emoji of many parts whole', '👩‍👩‍👧‍👦'.repeat(8), ['👩‍👩‍👧‍👦'.repeat(7), '👩‍👩‍👧‍👦']],
    ['end in reasonable time', 'x'.repeat(100_000), ['xxxxxxxxxxxxx', 'xxxxxxxxxxxx…']],
  ])('%s', (_, text, lines) => {
    expect(toLines(text, { ems: 8, linesMax: 2 })).toEqual(lines)
  })
})
