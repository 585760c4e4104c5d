/**
 * JSON bodies from anywhere. What `JSON.parse` would take and silently change, or what no database holds, is refused with
 * its place: integers that lose digits, numbers beyond the range, NUL characters, halves of surrogate pairs.
 *
 * Clean bodies pay little: a count of brackets and names when the body is large (`json-scan.ts`), one search for escapes,
 * one walk over the parsed values. The exact reading of the text (`json-inspect.ts`) runs only when those find something.
 */
import { isUtf8 } from 'node:buffer'
import { ShapeError } from '@postil/domain/errors'
import { rememberVectorTexts } from '../lib/vector-texts.ts'
import { BODY_DEPTH_MAX, codePointOffset, inspectJson } from './json-inspect.ts'
import { type ScanLimits, scanJson } from './json-scan.ts'

/** Lists and objects in one body. 64 MiB of `[],[],` would cost ten seconds and two gigabytes. */
export const BODY_CONTAINERS_MAX = 2_000_000
/** Property names in one body. `JSON.parse` takes microseconds for each name that it has not seen before. */
export const BODY_KEYS_MAX = 500_000
/** Values in one body: 500 records with vectors of 16,000 numbers each. */
export const BODY_VALUES_MAX = 8_000_000
/** A name, a colon, a value and a comma take at least five characters. */
const LENGTH_UNSCANNED_MAX = Math.min(BODY_CONTAINERS_MAX, BODY_KEYS_MAX * 5)

const LIMITS: ScanLimits = {
  containers: BODY_CONTAINERS_MAX,
  keys: BODY_KEYS_MAX,
  values: BODY_VALUES_MAX,
  depth: BODY_DEPTH_MAX,
}

/** The value of a JSON body, or throws a ShapeError. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  // Smaller bodies cannot exceed a limit.
  if (text.length > LENGTH_UNSCANNED_MAX) checkLimits(text)
  const value = parse(text)
  if (hasSuspiciousEscape(text) || isSuspicious(text, value)) {
    const problems = inspectJson(text)
    if (problems.length > 0) throw new ShapeError(problems)
  }
  rememberVectorTexts(text, value)
  return value
}

const jsonInvalid = (text: string, index: number, msg: string) =>
  new ShapeError([{ type: 'json_invalid', loc: ['body', codePointOffset(text, index)], msg }])

function decode(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  // A wrong byte is decoded as the replacement character, which a body may also hold rightly. Asked in this order because
  // texts of one byte a character, which most are, cannot hold it and answer at once.
  const replaced = text.indexOf('\ufffd')
  if (replaced !== -1 && !isUtf8(bytes)) throw jsonInvalid(text, replaced, 'the body must be UTF-8 text')
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

function checkLimits(text: string): void {
  const { exceeded } = scanJson(text, LIMITS)
  if (exceeded === null) return
  const { limit, at } = exceeded
  throw jsonInvalid(text, at, `the body must ${EXCEEDED[limit]}`)
}

const EXCEEDED: Record<keyof ScanLimits, string> = {
  containers: `hold at most ${BODY_CONTAINERS_MAX} lists and objects`,
  keys: `hold at most ${BODY_KEYS_MAX} property names`,
  values: `hold at most ${BODY_VALUES_MAX} values`,
  depth: `be nested at most ${BODY_DEPTH_MAX} levels deep`,
}

/**
 * A NUL, or half of a surrogate pair: a first half that no second half follows, or a second half without a first before it.
 * After an escaped backslash the pairing cannot be told here, hence the last branch.
 */
const SUSPICIOUS_ESCAPE =
  /\\u(?:0000|[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|[c-fC-F]..(?<!\\u[dD][89abAB]..\\u....)))|\\\\u[dD][89a-fA-F]/

const hasSuspiciousEscape = (text: string) => text.includes('\\u') && SUSPICIOUS_ESCAPE.test(text)

/** True when the value is nested too deeply, or when a number may have lost digits or overflowed. */
function isSuspicious(text: string, value: unknown): boolean {
  const worst = worstOf(value, 0)
  // `1e20` is large and fine. The text tells the two apart without an exact reading.
  return worst === TOO_DEEP || (worst === LARGE && scanJson(text, LIMITS).hasDoubtfulNumber)
}

const FINE = 0
const LARGE = 1
const TOO_DEEP = 2

const isLarge = (number: number) => number > Number.MAX_SAFE_INTEGER || number < Number.MIN_SAFE_INTEGER

/** Whether a number is beyond the safe integers: one that lost digits or overflowed is. Too deep a value is worse. */
function worstOf(value: unknown, depth: number): number {
  if (typeof value === 'number') return isLarge(value) ? LARGE : FINE
  if (typeof value !== 'object' || value === null) return FINE
  if (depth === BODY_DEPTH_MAX) return TOO_DEEP
  if (Array.isArray(value)) return worstOfList(value, depth)
  let worst = FINE
  for (const key in value) {
    worst = Math.max(worst, worstOf((value as Record<string, unknown>)[key], depth + 1))
    if (worst === TOO_DEEP) break
  }
  return worst
}

function worstOfList(items: unknown[], depth: number): number {
  let worst = FINE
  for (let i = countSafe(items); i < items.length && worst !== TOO_DEEP; i++) {
    worst = Math.max(worst, worstOf(items[i], depth + 1))
  }
  return worst
}

/** How many items are safe numbers, up to the first that is not. Vectors spend their time in this loop. */
function countSafe(items: unknown[]): number {
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (typeof item !== 'number' || isLarge(item)) return i
  }
  return items.length
}
