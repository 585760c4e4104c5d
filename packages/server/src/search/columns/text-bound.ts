import { compareText } from '@postil/domain/search/compare-text'

/** Values that are stored as numbers but compared as texts. `toText` must preserve the order of the numbers from 0 to `last`. */
export interface NumberedTexts {
  last: bigint
  toText(number: bigint): string
}

/**
 * Returns the smallest number whose text does not sort before `text`, by binary search, or `last + 1` if all texts sort before
 * it.
 */
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

/**
 * Returns the smallest number whose text sorts after `text`. No text lies between a text and the same text followed by U+0000.
 */
export function firstAfter(text: string, numbered: NumberedTexts): bigint {
  return firstNotBefore(`${text}\0`, numbered)
}
