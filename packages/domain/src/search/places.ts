/**
 * The tokens of a text, with where each stands in it, counted in code points.
 *
 * The tokens are those of `tokenize`. Folding makes texts shorter and longer, so where a token came from is found again: the
 * text is cut at blanks, and a piece into characters with what hangs on them, each of which folds by itself. A token that
 * begins or ends within such a character stands for all of it.
 */
import { codePointLength } from '../own.ts'
import { foldText, tokenize } from './tokens.ts'

export interface Place {
  token: string
  start: number
  end: number
}

/** What folds together with the character before it: marks, format characters, halves of pairs, Korean jamo. */
const HANGS_ON = /[\p{M}\p{Grapheme_Extend}\p{Cf}\p{Cs}\u1100-\u11FF]/v
const ZERO_WIDTH_JOINER = '\u200D'

/** Places one by one, in order, so that a reader that has seen enough need not read the rest. */
export function* iteratePlaces(text: string): Generator<Place> {
  // Code points before the piece at hand.
  let passed = 0
  let start = 0
  while (start < text.length) {
    let end = start
    let isAscii = true
    while (end < text.length && text.charCodeAt(end) > 32) {
      if (text.charCodeAt(end) > 127) isAscii = false
      end++
    }
    if (end > start) {
      const piece = text.slice(start, end)
      yield* isAscii ? placesInAscii(piece, passed) : placesInPiece(piece, passed)
      passed += isAscii ? piece.length : codePointLength(piece)
    }
    start = end + 1
    passed++
  }
}

function* placesInAscii(piece: string, passed: number): Generator<Place> {
  const folded = piece.toLowerCase()
  let at = 0
  for (const token of tokenize(folded)) {
    const start = folded.indexOf(token, at)
    at = start + token.length
    yield { token, start: passed + start, end: passed + at }
  }
}

function* placesInPiece(piece: string, passed: number): Generator<Place> {
  const folded = foldText(piece)
  const characters = toCharacters(piece, folded)
  let at = 0
  let i = 0
  for (const token of tokenize(folded)) {
    // Before a token stands nothing that could begin like it: what is passed over has neither letters nor digits.
    const start = folded.indexOf(token, at)
    at = start + token.length
    while (i < characters.length - 1 && endOf(characters, i) <= start) i++
    const first = i
    while (i < characters.length - 1 && endOf(characters, i) < at) i++
    yield { token, start: passed + (characters[first]?.start ?? 0), end: passed + (characters[i]?.end ?? 0) }
  }
}

/** A character with what hangs on it: its code points in the text, and where its folded form ends. */
interface Character {
  start: number
  end: number
  foldedEnd: number
}

const endOf = (characters: readonly Character[], i: number) => characters[i]?.foldedEnd ?? 0

function toCharacters(piece: string, folded: string): Character[] {
  const characters: Character[] = []
  let together = ''
  let count = 0
  let foldedText = ''
  const cut = (end: number) => {
    foldedText += foldText(together)
    characters.push({ start: end - count, end, foldedEnd: foldedText.length })
    together = ''
    count = 0
  }
  let at = 0
  for (const codePoint of piece) {
    // A zero-width joiner makes one emoji of what stands on both sides.
    const isApart = !together.endsWith(ZERO_WIDTH_JOINER) && !HANGS_ON.test(codePoint)
    if (together !== '' && isApart) cut(at)
    together += codePoint
    count++
    at++
  }
  cut(at)
  // Should some characters fold otherwise together than apart, the piece is one.
  return foldedText === folded ? characters : [{ start: 0, end: at, foldedEnd: folded.length }]
}
