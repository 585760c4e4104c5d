import { describe, expect, test } from 'vitest'
import type { Range } from './offsets.ts'
import {
  isWholeWord,
  nextCharacter,
  nextWord,
  previousCharacter,
  previousWord,
  snapToCharacters,
  snapToWords,
  wordAt,
} from './words.ts'

/** `in [it]s place`: returns the text without brackets, and the range between them. */
function select(marked: string): { text: string; range: Range } {
  const start = marked.indexOf('[')
  const end = marked.indexOf(']') - 1
  return { text: marked.replace(/[[\]]/g, ''), range: { start, end } }
}
const cut = (text: string, range: Range | null) => range && text.slice(range.start, range.end)

describe('a selection snaps outward to words', () => {
  test.each([
    ['send the se[cond b]ag today', 'second bag'],
    ['send the [second] bag', 'second'],
    ['send the[ second ]bag', 'second'],
    ['in Lü[be]ck, where', 'Lübeck'],
    ['in Lübe[ck, w]here', 'Lübeck, where'],
    ['paid €2[3]8.00 by', '€238'],
    ['paid [€238.0]0 by', '€238.00'],
    ['(Jo[na]s)', 'Jonas'],
    ['a [,] b', ','],
    ['yeah 🚀 ro[cke]t', 'rocket'],
    ['yeah🚀 ro[cke]t', 'rocket'],
    ['one 👩\u200d👩\u200d👧 [t]wo', 'two'],
    ['caf[e]\u0301 noir', 'cafe\u0301'],
    ['one\r\nt[w]o\r\nthree', 'two'],
    ['שלום עו[ל]ם טוב', 'עולם'],
    ['Привет, м[и]р', 'мир'],
  ])('%s -> %s', (marked, word) => {
    const { text, range } = select(marked)
    expect(cut(text, snapToWords(text, range))).toBe(word)
  })

  test.each(['a[ ]b', 'a[]b', 'a[\r\n]b'])('%j -> nothing', marked => {
    const { text, range } = select(marked)
    expect(snapToWords(text, range)).toBeNull()
  })

  test.each([
    ['我住在北[京]市', /^北京市?$/],
    ['私は東[京]に住む', /^東京$/],
    ['ฉันรักภา[ษ]าไทย', /^ภาษา(ไทย)?$/],
  ])('%s, where no spaces part words', (marked, word) => {
    const { text, range } = select(marked)
    expect(cut(text, snapToWords(text, range))).toMatch(word)
  })

  test('a run without an end is not read to its end', () => {
    const text = 'a'.repeat(100_000)
    expect(snapToWords(text, { start: 50_000, end: 50_001 })).toEqual({ start: 49_800, end: 50_200 })
  })
})

describe('a selection of characters', () => {
  test.each([
    ['b[el]low', 'el'],
    ['a [b] c', 'b'],
    ['a🚀[b]', 'b'],
  ])('%s -> %s', (marked, characters) => {
    const { text, range } = select(marked)
    expect(cut(text, snapToCharacters(text, range))).toBe(characters)
  })

  test('takes a character of two units whole', () => {
    expect(snapToCharacters('a🚀b', { start: 2, end: 4 })).toEqual({ start: 1, end: 4 })
    expect(snapToCharacters('a🚀b', { start: 0, end: 2 })).toEqual({ start: 0, end: 3 })
    expect(snapToCharacters('ab', { start: 1, end: 1 })).toBeNull()
  })
})

describe('the word cursor', () => {
  const text = 'Hello, (wide) 🚀 world.'
  const walk = (step: (text: string, from: number) => Range | null, from: number, edge: 'start' | 'end') => {
    const words: string[] = []
    for (let word = step(text, from); word; word = step(text, word[edge])) words.push(text.slice(word.start, word.end))
    return words
  }

  test('goes over all words and stops at the ends', () => {
    expect(walk(nextWord, 0, 'end')).toEqual(['Hello', 'wide', '🚀', 'world'])
    expect(walk(previousWord, text.length, 'start')).toEqual(['world', '🚀', 'wide', 'Hello'])
  })

  test('is nowhere in white space and punctuation', () => {
    expect(wordAt(text, 5)).toBeNull()
    expect(wordAt(text, text.length)).toBeNull()
    expect(nextWord('...', 0)).toBeNull()
    expect(previousWord('...', 3)).toBeNull()
  })

  test('goes by what readers take for one character', () => {
    expect(cut('e\u0301a', nextCharacter('e\u0301a', 0))).toBe('e\u0301')
    expect(cut('👩\u200d👩\u200d👧!', nextCharacter('👩\u200d👩\u200d👧!', 0))).toBe('👩\u200d👩\u200d👧')
    expect(cut('a👍🏽', previousCharacter('a👍🏽', 5))).toBe('👍🏽')
    expect(nextCharacter('a', 1)).toBeNull()
    expect(previousCharacter('a', 0)).toBeNull()
  })
})

test.each([
  ['a [Lübeck] b', true],
  ['[Lübeck].', true],
  ['a [Lübeck]er b', false],
  ['Alt[lübeck]', false],
  ['在[北京]市', true],
])('%s stands as whole words: %s', (marked, isWhole) => {
  const { text, range } = select(marked)
  expect(isWholeWord(text, range)).toBe(isWhole)
})
