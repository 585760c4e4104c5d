/** Codes of the characters with a meaning in JSON, and limits on the length of numbers. */
export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COLON = 0x3a
export const COMMA = 0x2c
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d

export const POINT = 0x2e
export const PLUS = 0x2b
export const MINUS = 0x2d

export const isDigitCode = (code: number) => code >= 0x30 && code <= 0x39
/** `E` or `e`. */
export const isExponentCode = (code: number) => (code | 0x20) === 0x65

/** Integers of up to this many digits are exact. */
export const EXACT_DIGITS_MAX = 15
/** Numbers below 10 to this power are finite. */
const FINITE_POWER_MAX = 308
const EXPONENT_DIGITS_READ_MAX = 6

/**
 * True if a number with this many digits before its decimal point may overflow. The digits of its exponent are between `start`
 * and `end`.
 */
export function mayOverflow(text: string, digits: number, start: number, end: number): boolean {
  if (text.charCodeAt(start - 1) === MINUS) return digits > FINITE_POWER_MAX
  if (end - start > EXPONENT_DIGITS_READ_MAX) return true
  let exponent = 0
  for (let at = start; at < end; at++) exponent = exponent * 10 + text.charCodeAt(at) - 0x30
  return digits + exponent > FINITE_POWER_MAX
}
