/**
 * JSON bodies from anywhere. What `JSON.parse` would take and silently change or what no database holds is refused with its
 * place: integers that lose digits, numbers beyond the range, NUL characters, halves of surrogate pairs.
 *
 * Clean bodies pay little: a survey that hops from bracket to bracket, one search for escapes, and a walk over the parsed
 * numbers only when some are long. The exact walk over the text (`json-inspect.ts`) runs when those find something.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { ShapeError } from '@postil/domain/errors'
import { codePointOffset, inspectJson } from './json-inspect.ts'

/**
 * Deeper than any schema can use (JSON_DEPTH_MAX below a few levels of ours), and shallow enough to recurse. Refused before
 * parsing: 64 MiB of opening brackets would take seconds and gigabytes.
 */
export const BODY_DEPTH_MAX = 1000

/** Lists and objects in one body; 64 MiB of `[],[],` would take seconds and gigabytes too. */
export const BODY_CONTAINERS_MAX = 2_000_000

/** The value of a JSON body, or throws a ShapeError. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  const survey = surveyJson(text)
  const value = parse(text)
  // Both are cheap and may be wrong; the exact walk is neither.
  const suspicious = SUSPICIOUS_ESCAPE.test(text) || (survey.longNumbers && hasLargeNumber(value))
  if (suspicious) {
    const problems = inspectJson(text)
    if (problems.length > 0) throw new ShapeError(problems)
  }
  return value
}

const jsonInvalid = (text: string, index: number, msg: string) =>
  new ShapeError([{ type: 'json_invalid', loc: ['body', codePointOffset(text, index)], msg }])

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Three times as fast as decoding UTF-8, which pays for this module's other checks.
  if (isAscii(buffer)) return buffer.toString("latin1")
  const text = buffer.toString("utf8")
  if (!isUtf8(buffer)) throw jsonInvalid(text, Math.max(0, text.indexOf('\ufffd')), 'the body must be UTF-8 text')
  // Some programs begin a file with a byte order mark; it means nothing here.
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // V8 names the place in some of its messages only, so ours is found by reading again.
    const problems = inspectJson(text)
    throw problems.length > 0 ? new ShapeError(problems) : jsonInvalid(text, 0, 'the body is not valid JSON')
  }
}

// A NUL, or half of a surrogate pair. After an escaped backslash the pairing cannot be told here, hence the last branch.
const SUSPICIOUS_ESCAPE =
  /\\u(?:0000|[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F]))|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]|\\\\u[dD][89a-fA-F]/

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Characters outside of strings that the survey stops at: brackets, quotes, and `e` for exponents. */
const LANDMARK = /["[\]{}eE]/g
const LANDMARK_CODES = new Set([...'"[]{}eE'].map(character => character.charCodeAt(0)))

/** In dense JSON the next landmark is a few characters on, and a plain loop beats calling the regular expression. */
const NEARBY = 24

/** No shorter stretch between two landmarks holds an integer beyond the safe range. */
const LONG_NUMBER_LENGTH = 16

/** Refuses what is too deep or too much; tells whether there may be numbers that JavaScript cannot hold. */
function surveyJson(text: string): { longNumbers: boolean } {
  let depth = 0
  let containers = 0
  let longNumbers = false
  let from = 0
  while (from < text.length) {
    const at = nextLandmark(text, from)
    if (at - from >= LONG_NUMBER_LENGTH) longNumbers = true
    from = at + 1
    const code = text.charCodeAt(at)
    if (code === QUOTE) from = endOfString(text, from)
    else if (code === 0x5b || code === 0x7b) {
      depth++
      containers++
      if (depth > BODY_DEPTH_MAX) throw jsonInvalid(text, at, `the body must be nested at most ${BODY_DEPTH_MAX} levels deep`)
      if (containers > BODY_CONTAINERS_MAX) {
        throw jsonInvalid(text, at, `the body must hold at most ${BODY_CONTAINERS_MAX} lists and objects`)
      }
    } else if (code === 0x5d || code === 0x7d) depth--
    // Only exponents of three digits overflow; `true` and `false` have an `e` too.
    else if (/^\+?\d{3}/.test(text.slice(from, from + 4))) longNumbers = true
  }
  return { longNumbers }
}

function nextLandmark(text: string, from: number): number {
  const near = Math.min(text.length, from + NEARBY)
  for (let i = from; i < near; i++) {
    if (LANDMARK_CODES.has(text.charCodeAt(i))) return i
  }
  LANDMARK.lastIndex = near
  return LANDMARK.test(text) ? LANDMARK.lastIndex - 1 : text.length
}

/** The position after the closing quote. */
function endOfString(text: string, from: number): number {
  const near = Math.min(text.length, from + NEARBY)
  let quote = from
  while (quote < near && text.charCodeAt(quote) !== QUOTE) quote++
  if (quote === near) quote = text.indexOf('"', near)
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? text.length : quote + 1
}

function isEscaped(text: string, at: number): boolean {
  let i = at - 1
  while (text.charCodeAt(i) === BACKSLASH) i--
  return (at - i) % 2 === 0
}

/** Integers that lost digits and numbers that became infinite are all beyond the safe range, but not only they. */
function hasLargeNumber(value: unknown): boolean {
  if (typeof value === 'number') return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (hasLargeNumber(value[i])) return true
    }
    return false
  }
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLargeNumber)
}
