/** Which way a text runs, when its first letter does not say. */
export type Direction = 'ltr' | 'rtl'

/** Enough to know, also of a very long text. */
const SAMPLE = 5_000
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/gu
const LETTER = /\p{L}/gu

/** Right to left when such letters outnumber the others. */
export function directionOf(text: string): Direction {
  const sample = text.slice(0, SAMPLE)
  const count = (pattern: RegExp) => sample.match(pattern)?.length ?? 0
  return count(RIGHT_TO_LEFT) * 2 > count(LETTER) ? 'rtl' : 'ltr'
}
