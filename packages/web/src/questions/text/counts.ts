import type { TextLimits } from '../../dataset-options.ts'

export interface Counts {
  characters: number
  words: number
}

const isJoined = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Characters as people count them, not as memory does; words are what stands between spaces. */
export function countsOf(text: string): Counts {
  const surrogates = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0
  return { characters: text.length - surrogates, words: text.match(/\S+/g)?.length ?? 0 }
}

/** Scripts without spaces have no words to count by them. */
export const hasWords = (text: string) => !isJoined.test(text.slice(0, 1_000))

export interface Over {
  characters: number
  words: number
}

/** By how much a text is over its limits; 0 where it is not. Words only count where there are any to count. */
export const overLimits = (counts: Counts, limits: TextLimits, canCountWords: boolean): Over => ({
  characters: limits.characters === null ? 0 : Math.max(0, counts.characters - limits.characters),
  words: limits.words === null || !canCountWords ? 0 : Math.max(0, counts.words - limits.words),
})
