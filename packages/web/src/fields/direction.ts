/** Text direction based on the whole text instead of its first letter. */
export type Direction = 'ltr' | 'rtl'

/** Number of characters to check, so that very long texts stay fast. */
const SAMPLE = 5_000
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/gu
const LETTER = /\p{L}/gu

/** Returns `rtl` if right-to-left letters outnumber the others. */
export function directionOf(text: string): Direction {
  const sample = text.slice(0, SAMPLE)
  const count = (pattern: RegExp) => sample.match(pattern)?.length ?? 0
  return count(RIGHT_TO_LEFT) * 2 > count(LETTER) ? 'rtl' : 'ltr'
}
