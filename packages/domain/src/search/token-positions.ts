/**
 * The tokens of a text with their positions in code points.
 *
 * The tokens are those of `tokenize`. Folding changes the length of texts, so positions must be mapped back: the text is split at
 * blanks, and each piece into characters with their combining marks, which fold independently. A token that starts or ends within
 * such a character covers the whole character.
 */
import { codePointLength } from '../code-points.ts'
import { foldText, tokenize } from './tokens.ts'

export interface TokenPosition {
  token: string
  start: number
  end: number
}

/** Code points that fold together with the previous character: marks, format characters, surrogates, Korean jamo. */
const HANGS_ON = /[\p{M}\p{Grapheme_Extend}\p{Cf}\p{Cs}\u1100-\u11FF]/v
const ZERO_WIDTH_JOINER = '\u200D'

/** Yields positions in order, so that callers can stop early. */
export function* iterateTokenPositions(text: string): Generator<TokenPosition> {
  // Number of code points before the current piece.
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
      yield* isAscii ? positionsInAscii(piece, passed) : positionsInPiece(piece, passed)
      passed += isAscii ? piece.length : codePointLength(piece)
    }
    start = end + 1
    passed++
  }
}

function* positionsInAscii(piece: string, passed: number): Generator<TokenPosition> {
  const folded = piece.toLowerCase()
  let at = 0
  for (const token of tokenize(folded)) {
    const start = folded.indexOf(token, at)
    at = start + token.length
    yield { token, start: passed + start, end: passed + at }
  }
}

function* positionsInPiece(piece: string, passed: number): Generator<TokenPosition> {
  const folded = foldText(piece)
  const characters = toCharacters(piece, folded)
  let at = 0
  let i = 0
  for (const token of tokenize(folded)) {
    // `indexOf` finds the right place, because the skipped characters contain neither letters nor digits.
    const start = folded.indexOf(token, at)
    at = start + token.length
    while (i < characters.length - 1 && endOf(characters, i) <= start) i++
    const first = i
    while (i < characters.length - 1 && endOf(characters, i) < at) i++
    yield { token, start: passed + (characters[first]?.start ?? 0), end: passed + (characters[i]?.end ?? 0) }
  }
}

/** A character with its combining marks: its code points in the text, and the end of its folded form. */
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
    // A zero-width joiner combines both sides into one emoji.
    const isApart = !together.endsWith(ZERO_WIDTH_JOINER) && !HANGS_ON.test(codePoint)
    if (together !== '' && isApart) cut(at)
    together += codePoint
    count++
    at++
  }
  cut(at)
  // If characters fold differently together than separately, the whole piece is treated as one character.
  return foldedText === folded ? characters : [{ start: 0, end: at, foldedEnd: folded.length }]
}
