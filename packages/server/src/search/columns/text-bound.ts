import { compareText } from '@postil/domain/search/compare-text'

/** Values that are stored as numbers but compared as texts. `toText` must keep the order of the numbers from 0 to `last`. */
export interface NumberedTexts {
  last: bigint
  toText(number: bigint): string
}

/** The smallest number whose text is not before this one, by binary search; `last + 1` if all texts are before it. */
export function firstNotBefore(text: string, { last, toText }: NumberedTexts): bigint {
  let low = 0n
  let high = last + 1n
  while (low < high) {
    const middle = (low + high) / 2n
    if (compareText(toText(middle), text) < 0) low = middle + 1n
    else high = middle
  }
  return low
}

/** The smallest number whose text is after this one. No text lies between a text and the same text followed by U+0000. */
export function firstAfter(text: string, numbered: NumberedTexts): bigint {
  return firstNotBefore(`${text}\0`, numbered)
}
