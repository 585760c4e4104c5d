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

function splitToken(token: string): string[] {
  const parts = ['']
  for (const character of token) {
    const part = (parts.at(-1) ?? '') + character
    if (part.length <= TOKEN_UNITS_MAX) parts[parts.length - 1] = part
    else parts.push(character)
  }
  return parts
}
