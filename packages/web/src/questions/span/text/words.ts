/**
 * Word boundaries for marking: whitespace and punctuation end a word. Scripts without spaces between words (Chinese, Japanese,
 * Thai and others) use the browser's dictionaries.
 */
import { characterAt, characterBefore, type Range } from './offsets.ts'

const SPACE = /^[\s\u200b]$/u
const END = /^[\s\u200b\p{P}]$/u
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/**
 * Maximum context for segmentation, because a run without spaces may be as long as the text. More context does not change the
 * result.
 */
const REACH = 200

let wordSegmenter: Intl.Segmenter | undefined
let characterSegmenter: Intl.Segmenter | undefined
// Created on first use, because dictionaries are large.
const words = () => (wordSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' }))
const characters = () => (characterSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }))

const isSpace = (character: string) => SPACE.test(character)
const endsWord = (character: string) => character === '' || END.test(character)

/** Returns the word that contains this offset, or null. */
export function wordAt(text: string, at: number): Range | null {
  if (endsWord(characterAt(text, at))) return null
  let start = at
  let end = at
  for (
    let before = characterBefore(text, start);
    !endsWord(before) && at - start < REACH;
    before = characterBefore(text, start)
  ) {
    start -= before.length
  }
  for (let next = characterAt(text, end); !endsWord(next) && end - at < REACH; next = characterAt(text, end)) end += next.length
  const run = text.slice(start, end)
  if (!UNSPACED.test(run)) return { start, end }
  const found = words()
    .segment(run)
    .containing(at - start)
  return found ? { start: start + found.index, end: start + found.index + found.segment.length } : { start, end }
}

/** Trims whitespace from a selection, then expands it to whole words. Returns null if it is empty. */
export function snapToWords(text: string, { start, end }: Range): Range | null {
  const inside = trim(text, { start, end })
  if (!inside) return null
  const last = inside.end - characterBefore(text, inside.end).length
  return { start: wordAt(text, inside.start)?.start ?? inside.start, end: wordAt(text, last)?.end ?? inside.end }
}

function trim(text: string, range: Range): Range | null {
  let { start, end } = range
  while (start < end && isSpace(characterAt(text, start))) start++
  while (end > start && isSpace(characterBefore(text, end))) end--
  return start < end ? { start, end } : null
}

/** Returns the range, expanded to full surrogate pairs. */
export function snapToCharacters(text: string, { start, end }: Range): Range | null {
  const from = isInsidePair(text, start) ? start - 1 : start
  const to = isInsidePair(text, end) ? end + 1 : end
  return from < to ? { start: from, end: to } : null
}

const isInsidePair = (text: string, at: number) => at > 0 && characterAt(text, at - 1).length === 2

/** Returns the first word that starts at or after this offset. */
export function nextWord(text: string, from: number): Range | null {
  let at = from
  while (at < text.length && endsWord(characterAt(text, at))) at += characterAt(text, at).length
  return wordAt(text, at)
}

/** Returns the last word that ends at or before this offset. */
export function previousWord(text: string, from: number): Range | null {
  let at = from
  while (at > 0 && endsWord(characterBefore(text, at))) at -= characterBefore(text, at).length
  return at > 0 ? wordAt(text, at - characterBefore(text, at).length) : null
}

/** Returns the next grapheme, including combining marks. */
export function nextCharacter(text: string, from: number): Range | null {
  const found = characters()
    .segment(text.slice(from, from + REACH))
    .containing(0)
  return found ? { start: from, end: from + found.segment.length } : null
}

export function previousCharacter(text: string, from: number): Range | null {
  const start = Math.max(0, from - REACH)
  const before = text.slice(start, from)
  const found = characters()
    .segment(before)
    .containing(before.length - 1)
  return found ? { start: start + found.index, end: from } : null
}

/** True if the range is not part of a longer word on either side. */
export function isWholeWord(text: string, { start, end }: Range): boolean {
  const isFree = (inside: string, outside: string) =>
    endsWord(inside) || endsWord(outside) || UNSPACED.test(inside) || UNSPACED.test(outside)
  return (
    isFree(characterAt(text, start), characterBefore(text, start)) && isFree(characterBefore(text, end), characterAt(text, end))
  )
}
