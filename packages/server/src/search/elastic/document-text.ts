/**
 * Converts text for the engines: the tokens of our own analysis, separated by spaces, one string for each piece.
 *
 * The position gap between the strings of a field is so large that phrases cannot match across pieces.
 */
import { PIECE_BREAK, tokenize } from '@postil/domain/search/tokens'

/** Positions between two pieces. */
export const TEXT_GAP = 100_000
/** A larger slop would let a phrase match across pieces. Phrases with slop have at most 16 words. */
export const SLOP_MAX = TEXT_GAP - 100
/**
 * Limited because positions are 32-bit numbers. Further pieces are joined into one string with breaks, which exact phrases do not
 * match across either.
 */
const PIECES_MAX = 10_000

/** Repeated, so that it is not within the edit distance of a short fuzzy word. */
export const TEXT_BREAK = PIECE_BREAK.repeat(8)

/**
 * Prefix of all parts of a split token except for the first, so that searches do not find them as words. A private-use character,
 * like the break.
 */
const TOKEN_CONTINUED = '\u{E001}'.repeat(8)

/**
 * The whitespace analyzer of the engines splits tokens after this many UTF-16 code units. Our tokens can have as many code
 * points.
 */
const TOKEN_UNITS_MAX = 255

/** Returns the strings to index for the pieces of a field. */
export function toIndexedTexts(pieces: readonly string[]): string[] {
  const texts = pieces.map(piece => toEngineTokens(tokenize(piece)).join(' ')).filter(text => text !== '')
  if (texts.length <= PIECES_MAX) return texts
  return [...texts.slice(0, PIECES_MAX), texts.slice(PIECES_MAX).join(` ${TEXT_BREAK} `)]
}

/**
 * Returns tokens that the engine does not split. A longer token, with characters outside the Basic Multilingual Plane, becomes
 * several consecutive tokens.
 */
export function toEngineTokens(tokens: readonly string[]): readonly string[] {
  return tokens.some(token => token.length > TOKEN_UNITS_MAX) ? tokens.flatMap(splitToken) : tokens
}

/** Splits from the left, so that the parts of a prefix are also parts of the token. */
function splitToken(token: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const character of token) {
    if (part.length + character.length > TOKEN_UNITS_MAX) {
      parts.push(part)
      part = TOKEN_CONTINUED
    }
    part += character
  }
  return [...parts, part]
}
