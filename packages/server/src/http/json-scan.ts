/**
 * Scans JSON text in one fast pass, outside its strings: counts arrays, objects, property names and values, and detects numbers
 * that may be too large to be stored. It neither requires nor checks valid JSON.
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  EXACT_DIGITS_MAX,
  isDigitCode,
  isExponentCode,
  MINUS,
  mayOverflow,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
} from './json-codes.ts'

/** Maximum counts in one body, and maximum nesting depth. `values` are counted by the commas after them. */
export interface ScanLimits {
  containers: number
  keys: number
  values: number
  depth: number
}

export interface Scan {
  /** The first exceeded limit and its position; the rest of the text was not scanned. */
  exceeded: { limit: keyof ScanLimits; at: number } | null
  /** False if every number is an exact integer or finite; true if only `json-inspect.ts` can tell. */
  hasDoubtfulNumber: boolean
}

export function scanJson(text: string, limits: ScanLimits): Scan {
  let [containers, keys, values, depth] = [0, 0, 0, 0]
  let hasDoubtfulNumber = false
  const exceeded = (limit: keyof ScanLimits, at: number) => ({ exceeded: { limit, at }, hasDoubtfulNumber })
  const { length } = text
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at + 1)
    else if (isDigitCode(code)) {
      const end = endOfNumber(text, at)
      // Shorter numbers are always exact and finite.
      if (!hasDoubtfulNumber && end - at > 4) hasDoubtfulNumber = isDoubtful(text, at, end)
      at = end
    } else {
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        if (++containers > limits.containers) return exceeded('containers', at)
        if (++depth > limits.depth) return exceeded('depth', at)
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
      else if (code === COMMA && ++values > limits.values) return exceeded('values', at)
      else if (code === COLON && ++keys > limits.keys) return exceeded('keys', at)
      at++
    }
  }
  return { exceeded: null, hasDoubtfulNumber }
}

/** Returns the position after the closing quote, or the end of the text. */
function endOfString(text: string, from: number): number {
  const { length } = text
  let at = from
  while (at < length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    at += code === BACKSLASH ? 2 : 1
  }
  return length
}

/** Returns the position after digits, points, exponents and signs, the characters of a number. */
function endOfNumber(text: string, from: number): number {
  let at = from + 1
  for (;;) {
    const code = text.charCodeAt(at)
    if (!isDigitCode(code) && code !== POINT && !isExponentCode(code) && code !== PLUS && code !== MINUS) return at
    at++
  }
}

/** True if only `json-inspect.ts` can tell whether the number is an exact integer or finite. */
function isDoubtful(text: string, start: number, end: number): boolean {
  let at = start
  while (at < end && isDigitCode(text.charCodeAt(at))) at++
  const digits = at - start
  if (at === end) return digits > EXACT_DIGITS_MAX
  while (at < end && !isExponentCode(text.charCodeAt(at))) at++
  const sign = text.charCodeAt(at + 1)
  return mayOverflow(text, digits, Math.min(end, at + (sign === PLUS || sign === MINUS ? 2 : 1)), end)
}
