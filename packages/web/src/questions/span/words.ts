/**
 * Words as people mark them: white space and punctuation end one. Scripts that put no spaces between words (Chinese, Japanese,
 * Thai and others) are cut by the browser's dictionaries.
 */
import { characterAt, characterBefore, type Range } from './offsets.ts'

const SPACE = /^[\s\u200b]$/u
const END = /^[\s\u200b\p{P}]$/u
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** A run without an end may be as long as the text; further away it decides nothing. */
const REACH = 200

let wordSegmenter: Intl.Segmenter | undefined
let characterSegmenter: Intl.Segmenter | undefined
// Dictionaries are large: they are opened when a text first needs them.
const words = () => (wordSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' }))
const characters = () => (characterSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }))

const isSpace = (character: string) => SPACE.test(character)
const endsWord = (character: string) => character === '' || END.test(character)

/** The word that the character at this place belongs to, or null. */
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

/** A selection without the white space at its ends, then widened to whole words; null when nothing is left. */
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

/** The same range; characters of two units are kept whole. */
export function snapToCharacters(text: string, { start, end }: Range): Range | null {
  const from = isInsidePair(text, start) ? start - 1 : start
  const to = isInsidePair(text, end) ? end + 1 : end
  return from < to ? { start: from, end: to } : null
}

const isInsidePair = (text: string, at: number) => at > 0 && characterAt(text, at - 1).length === 2

/** The first word that begins at or after this place. */
export function nextWord(text: string, from: number): Range | null {
  let at = from
  while (at < text.length && endsWord(characterAt(text, at))) at += characterAt(text, at).length
  return wordAt(text, at)
}

/** The last word that ends at or before this place. */
export function previousWord(text: string, from: number): Range | null {
  let at = from
  while (at > 0 && endsWord(characterBefore(text, at))) at -= characterBefore(text, at).length
  return at > 0 ? wordAt(text, at - characterBefore(text, at).length) : null
}

/** What a reader takes for one character, signs that combine with it included. */
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

/** Nothing of a longer word stands on either side. */
export function isWholeWord(text: string, { start, end }: Range): boolean {
  const isFree = (inside: string, outside: string) =>
    endsWord(inside) || endsWord(outside) || UNSPACED.test(inside) || UNSPACED.test(outside)
  return (
    isFree(characterAt(text, start), characterBefore(text, start)) && isFree(characterBefore(text, end), characterAt(text, end))
  )
}
