/**
 * Text as the engines keep it: the tokens of our own analysis, joined by blanks, one string for each piece.
 *
 * Between two strings of a field lie so many positions that no phrase reaches from one piece into the next.
 */
import { PIECE_BREAK, tokenize } from '@postil/domain/search/tokens'

/** Positions between two pieces. */
export const TEXT_GAP = 100_000
/** More moves than this would let a phrase match across pieces; no phrase has more than 16 words if moves are allowed. */
export const SLOP_MAX = TEXT_GAP - 100
/** Positions are 32-bit numbers. What comes after so many pieces is one string with breaks, which exact phrases do not cross either. */
const PIECES_MAX = 10_000

/** Repeated, so that no short fuzzy word is near it. */
export const TEXT_BREAK = PIECE_BREAK.repeat(8)

/** Begins all parts of a token but the first, so that they are not found as words. Private use, like the break. */
const TOKEN_CONTINUED = '\u{E001}'.repeat(8)

/** The engines' whitespace analyser cuts tokens after so many UTF-16 units. Ours have as many code points. */
const TOKEN_UNITS_MAX = 255

/** The strings to index for the pieces of a field. */
export function toIndexedTexts(pieces: readonly string[]): string[] {
  const texts = pieces.map(piece => toEngineTokens(tokenize(piece)).join(' ')).filter(text => text !== '')
  if (texts.length <= PIECES_MAX) return texts
  return [...texts.slice(0, PIECES_MAX), texts.slice(PIECES_MAX).join(` ${TEXT_BREAK} `)]
}

/** Tokens that the engine keeps whole. A longer one, of rare letters that take two units, becomes several that stand one after the other. */
export function toEngineTokens(tokens: readonly string[]): readonly string[] {
  return tokens.some(token => token.length > TOKEN_UNITS_MAX) ? tokens.flatMap(splitToken) : tokens
}

/** From the left, so that the parts of a prefix are parts of the token. */
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
