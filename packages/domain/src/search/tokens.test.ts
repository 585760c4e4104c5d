import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../testing/any-text.ts'
import { foldText, isUnspaced, PIECE_BREAK, TOKEN_LENGTH_MAX, toIndexText, tokenize } from './tokens.ts'

describe('tokens of', () => {
  test.each<[string, string[]]>([
    ['Green Apple', ['green', 'apple']],
    ['covid-19', ['covid', '19']],
    ['green/apple', ['green', 'apple']],
    ['green,apple', ['green', 'apple']],
    ['foo_bar', ['foo_bar']],
    ["don't", ["don't"]],
    ['don’t', ["don't"]],
    ['example.com', ['example.com']],
    ['green.apple', ['green.apple']],
    ['12.5', ['12.5']],
    ['1,000', ['1,000']],
    ['1;2', ['1;2']],
    ['text:fox', ['text:fox']],
    ['12:30', ['12', '30']],
    ['a.5 v1.2 a..b .com end.', ['a', '5', 'v1.2', 'a', 'b', 'com', 'end']],
    ['\'quoted\' "words" (and) [brackets]', ['quoted', 'words', 'and', 'brackets']],
    ['_ ___ _a_', ['_a_']],
    ['& ! … „“ — ‼ €', []],
    ['<b>bold</b>', ['b', 'bold', 'b']],
    ['café CAFÉ cafe\u0301', ['cafe', 'cafe', 'cafe']],
    ['Straße STRASSE', ['strasse', 'strasse']],
    ['Øre Łódź Æsop', ['ore', 'lodz', 'aesop']],
    ['İstanbul', ['istanbul']],
    ['ΟΔΥΣΣΕΥΣ Οδυσσεύς', ['οδυσσευσ', 'οδυσσευσ']],
    ['co\u00ADoperate', ['cooperate']],
    ['a\u200Bb', ['a', 'b']],
    ['naïve\u00A0words', ['naive', 'words']],
    ['東京', ['東', '京']],
    ['ひらがな', ['ひ', 'ら', 'が', 'な']],
    ['か\u3099', ['が']],
    ['タワー', ['タ', 'ワ', 'ー']],
    ['東京tower', ['東', '京', 'tower']],
    ['กี่', ['กี่']],
    ['ភាសា', ['ភា', 'សា']],
    ['한국어', ['한국어']],
    ['हिन्दी', ['हिन्दी']],
    ['שָׁלוֹם', ['שלום']],
    ['fox🦊🦊', ['fox', '🦊', '🦊']],
    ['👩‍❤️‍👩👍🏽', ['👩‍❤‍👩', '👍🏽']],
    ['🇫🇷🇩🇪', ['🇫🇷', '🇩🇪']],
    ['Postil™ © 2026', ['postil', '2026']],
    ['\uD800 lone \uDC00', ['lone']],
    ['', []],
  ])('%j', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens)
  })

  test('a run longer than 255 characters is cut into pieces of 255', () => {
    expect(tokenize('a'.repeat(600)).map(token => token.length)).toEqual([255, 255, 90])
    expect(tokenize('a'.repeat(TOKEN_LENGTH_MAX)).length).toBe(1)
    expect(tokenize('𝒳'.repeat(256)).map(token => [...token].length)).toEqual([255, 1])
  })
})

describe('index text', () => {
  test('joins tokens by blanks and pieces by a break that no text holds', () => {
    expect(toIndexText(['Hello, World', '', '...', 'again'])).toBe(`hello world ${PIECE_BREAK} again`)
    expect(toIndexText([])).toBe('')
    expect(tokenize(`a${PIECE_BREAK}b`)).toEqual(['a', 'b'])
  })
})

test('only tokens of scripts without spaces are unspaced', () => {
  expect(['東', 'が', 'タ', 'ー', 'ก', 'ຂ', 'ក', 'က'].map(isUnspaced)).toEqual(Array(8).fill(true))
  expect(['a', '1', '한', '🦊', '_'].map(isUnspaced)).toEqual(Array(5).fill(false))
})

describe('for any text', () => {
  const interesting = fc.constantFrom(..."aZ9_:.',;-/ \téßſΣİ’かガ京กี한\u0301\u3099\u200D\u00AD\uFE0F", '👩', '🏽', '🇫', '❤', '©')
  const text = fc.oneof(
    anyText(),
    fc.string({ unit: 'grapheme' }),
    fc.array(interesting).map(parts => parts.join('')),
  )
  const settings = { numRuns: 500 }

  test('no token holds a blank, a control character or ASCII punctuation that the index splits at', () => {
    fc.assert(
      fc.property(text, value => {
        const isSplit = (token: string) => /[\s\p{Cc}]/u.test(token) || /[!-&(-+\-/<-@[-^`{-~]/.test(token)
        expect(tokenize(value).filter(isSplit)).toEqual([])
      }),
      settings,
    )
  })

  test('text on both sides of a blank is tokenized independently', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(tokenize(`${left} ${right}`)).toEqual([...tokenize(left), ...tokenize(right)])
      }),
      settings,
    )
  })

  test('folding twice is folding once, and folded text has the same tokens', () => {
    fc.assert(
      fc.property(text, value => {
        const folded = foldText(value)
        expect(foldText(folded)).toBe(folded)
        expect(tokenize(folded)).toEqual(tokenize(value))
      }),
      settings,
    )
  })

  test('upper and lower case have the same tokens', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcéüñ -_.1') }), value => {
        expect(tokenize(value.toUpperCase())).toEqual(tokenize(value))
      }),
      settings,
    )
  })

  test('tokens of the index text are the tokens', () => {
    fc.assert(
      fc.property(text, value => {
        const tokens = tokenize(value)
        expect(toIndexText([value])).toBe(tokens.join(' '))
      }),
      settings,
    )
  })
})
