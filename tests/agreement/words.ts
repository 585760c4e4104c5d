/** The words of the compared records: few enough that most queries find several records, and tokenized in different ways. */
import type { Draw } from './draw.ts'

/** Longer than the maximum token length. */
const VERY_LONG = 'x'.repeat(300)

const COMMON = ['green', 'apple', 'pie', 'quick', 'fox', 'lazy', 'dog', 'user', 'Green', 'APPLE']
const RARE = [
  ...['apples', 'aple', 'grape', 'foxes', 'dig', 'cafe', 'café', 'cafe\u0301', 'Straße', 'strasse', 'ÅNGSTRÖM', 'İstanbul'],
  ...['Ελλάδας', 'привет', 'हिन्दी', 'ภาษาไทย', '東京', '京東', '京都', 'ひらがな', 'カタカナ', 'タワー', '한국어', '서울시'],
  ...['😀', '👩‍👩‍👧', '👍🏽', '🇩🇪', 'good😀', 'covid-19', 'green/apple', 'foo_bar', "don't", 'don’t', 'example.com', '12.5'],
  ...['1,000', 'text:fox', '<b>bold</b>', 'AND', 'OR', 'NOT', 'None', 'constructor', '__proto__', 'a', 'ab', 'abc'],
  ...['naïve', 'coöperate', 'ﬁne', 'ＦＵＬＬ', '²', 'Ⅷ', 'e\u0301e\u0301', 'soft\u00adhyphen', 'zero\u200bwidth', 'nb\u00a0sp'],
  ...['"', '\\', '(', ')', '*', '~', '|', '+', '-', '&', '…', '“quoted”', VERY_LONG],
]

export const drawWord = (draw: Draw): string => draw.pick(draw.chance(0.5) ? COMMON : RARE)

export const drawText = (draw: Draw, wordsMin: number, wordsMax: number): string =>
  Array.from({ length: wordsMin + draw.below(wordsMax - wordsMin + 1) }, () => drawWord(draw)).join(
    draw.pick([' ', ' ', '\n', '  ']),
  )
