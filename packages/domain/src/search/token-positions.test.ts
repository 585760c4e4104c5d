import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../testing/any-text.ts'
import { iterateTokenPositions } from './token-positions.ts'
import { tokenize } from './tokens.ts'

const shown = (text: string) => {
  const codePoints = [...text]
  return [...iterateTokenPositions(text)].map(({ token, start, end }) => [token, codePoints.slice(start, end).join('')])
}

describe('a token stands where it was written', () => {
  test.each<[string, [token: string, written: string][]]>([
    [
      'Green apple',
      [
        ['green', 'Green'],
        ['apple', 'apple'],
      ],
    ],
    [
      '  covid-19,\n12.5',
      [
        ['covid', 'covid'],
        ['19', '19'],
        ['12.5', '12.5'],
      ],
    ],
    ['__-_a', [['_a', '_a']]],
    [
      '😀ab😀',
      [
        ['😀', '😀'],
        ['ab', 'ab'],
        ['😀', '😀'],
      ],
    ],
    [
      '👨‍👩‍👧 dad',
      [
        ['👨‍👩‍👧', '👨‍👩‍👧'],
        ['dad', 'dad'],
      ],
    ],
    [
      '👍🏽x',
      [
        ['👍🏽', '👍🏽'],
        ['x', 'x'],
      ],
    ],
    [
      '🇩🇪🇫🇷',
      [
        ['🇩🇪', '🇩🇪'],
        ['🇫🇷', '🇫🇷'],
      ],
    ],
    ['Cafe\u0301!', [['cafe', 'Cafe\u0301']]],
    ['CAFÉ', [['cafe', 'CAFÉ']]],
    ['Straße', [['strasse', 'Straße']]],
    ['İzmir', [['izmir', 'İzmir']]],
    ['ΟΔΟΣ', [['οδοσ', 'ΟΔΟΣ']]],
    ['soft\u00ADhyphen', [['softhyphen', 'soft\u00ADhyphen']]],
    [
      'שָׁלוֹם עולם',
      [
        ['שלום', 'שָׁלוֹם'],
        ['עולם', 'עולם'],
      ],
    ],
    [
      'مَرْحَبًا بك',
      [
        ['مرحبا', 'مَرْحَبًا'],
        ['بك', 'بك'],
      ],
    ],
    [
      '東京 x',
      [
        ['東', '東'],
        ['京', '京'],
        ['x', 'x'],
      ],
    ],
    ['हिन्दी', [['हिन्दी', 'हिन्दी']]],
    ['\u1112\u1161\u11ab', [['한', '\u1112\u1161\u11ab']]],
  ])('%s', (text, expected) => {
    expect(shown(text)).toEqual(expected)
  })
})

const characters = fc.constantFrom(
  ...[
    'a',
    'B',
    'ß',
    'İ',
    'é',
    'e\u0301',
    '\u0301',
    'Σ',
    '1',
    '.',
    ',',
    "'",
    '_',
    '-',
    ' ',
    '\n',
    '\u00A0',
    '\u200B',
    '\u200D',
    '\u00AD',
  ],
  ...['😀', '👨', '👩', '🏽', '\uFE0F', '🇩', '🇪', '東', 'が', 'か\u3099', 'タ', 'ー', 'ไ', 'ท', 'क', 'ि', 'ש', 'ָ', 'م', 'َ', '한'],
  ...['\u1112', '\u1161', '\u11ab', '\uD800', '\uDC00', '𝒳', '\u{E0020}', 'ǆ', 'ﬁ', 'x'.repeat(300)],
)
const text = fc.oneof(
  fc.array(characters, { maxLength: 40 }).map(list => list.join('')),
  anyText({ maxLength: 40 }),
)

test('the tokens are those of the index, each within the text, in order, and its letters give it again', () => {
  const property = fc.property(text, given => {
    const places = [...iterateTokenPositions(given)]
    expect(places.map(({ token }) => token)).toEqual(tokenize(given))
    const codePoints = [...given]
    let before = 0
    for (const { token, start, end } of places) {
      expect(start).toBeGreaterThanOrEqual(0)
      expect(end).toBeGreaterThan(start)
      expect(end).toBeLessThanOrEqual(codePoints.length)
      expect(start).toBeGreaterThanOrEqual(before)
      before = start
      expect(tokenize(codePoints.slice(start, end).join('')).join('')).toContain(token)
    }
  })
  fc.assert(property, { numRuns: 1000 })
})
