import type { TextLimits } from '../../dataset-options.ts'

export interface Counts {
  characters: number
  words: number
}

const isJoined = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Counts characters as code points; words are separated by whitespace. */
export function countsOf(text: string): Counts {
  const surrogates = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0
  return { characters: text.length - surrogates, words: text.match(/\S+/g)?.length ?? 0 }
}

/** False for scripts without spaces, in which words cannot be counted. */
export const hasWords = (text: string) => !isJoined.test(text.slice(0, 1_000))

export interface Over {
  characters: number
  words: number
}

/** Returns by how much a text exceeds its limits; 0 if it does not. The word limit applies only if words can be counted. */
export const overLimits = (counts: Counts, limits: TextLimits, canCountWords: boolean): Over => ({
  characters: limits.characters === null ? 0 : Math.max(0, counts.characters - limits.characters),
  words: limits.words === null || !canCountWords ? 0 : Math.max(0, counts.words - limits.words),
})
