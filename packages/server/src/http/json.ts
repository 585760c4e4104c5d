/**
 * Parses untrusted JSON bodies. Values that `JSON.parse` would silently change, or that a database cannot store, are refused with
 * their path: integers that lose digits, numbers out of range, NUL characters, unpaired surrogates.
 *
 * Valid bodies cost little: a count of brackets and names if the body is large (`json-scan.ts`), one search for escapes, one walk
 * over the parsed values. The exact check of the text (`json-inspect.ts`) runs only if these find something.
 */
import { isUtf8 } from 'node:buffer'
import { ShapeError } from '@postil/domain/errors'
import { rememberVectorTexts } from '../lib/vector-texts.ts'
import { BODY_DEPTH_MAX, codePointOffset, inspectJson } from './json-inspect.ts'
import { type ScanLimits, scanJson } from './json-scan.ts'

/** Arrays and objects in one body. 64 MiB of `[],[],` would cost ten seconds and 2 GB of memory. */
export const BODY_CONTAINERS_MAX = 2_000_000
/** Property names in one body. `JSON.parse` takes microseconds for each name that it has not seen before. */
export const BODY_KEYS_MAX = 500_000
/** Values in one body; enough for 500 records with vectors of 16,000 numbers each. */
export const BODY_VALUES_MAX = 8_000_000
/** Shorter texts cannot exceed a limit: a name, a colon, a value and a comma take at least five characters. */
const LENGTH_UNSCANNED_MAX = Math.min(BODY_CONTAINERS_MAX, BODY_KEYS_MAX * 5)

const LIMITS: ScanLimits = {
  containers: BODY_CONTAINERS_MAX,
  keys: BODY_KEYS_MAX,
  values: BODY_VALUES_MAX,
  depth: BODY_DEPTH_MAX,
}

/** Returns the value of a JSON body, or throws a ShapeError. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
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
  // Invalid bytes are decoded as the replacement character, which valid bodies may also contain. The search runs first because it
  // is immediate for texts with one byte per character, as most are.
  const replaced = text.indexOf('\ufffd')
  if (replaced !== -1 && !isUtf8(bytes)) throw jsonInvalid(text, replaced, 'the body must be UTF-8 text')
  // Some programs write a byte order mark, which is ignored.
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Only some of V8's messages contain the position, so the text is parsed again to find it.
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
 * Matches a NUL, or an unpaired surrogate: a high surrogate without a following low one, or a low one without a preceding high
 * one. After an escaped backslash the pairing cannot be decided here, hence the last branch.
 */
const SUSPICIOUS_ESCAPE =
  /\\u(?:0000|[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|[c-fC-F]..(?<!\\u[dD][89abAB]..\\u....)))|\\\\u[dD][89a-fA-F]/

const hasSuspiciousEscape = (text: string) => text.includes('\\u') && SUSPICIOUS_ESCAPE.test(text)

/** True if the value is nested too deeply, or if a number may have lost digits or overflowed. */
function isSuspicious(text: string, value: unknown): boolean {
  const worst = worstOf(value, 0)
  // `1e20` is large but valid; the scan of the text recognizes such numbers without the exact check.
  return worst === TOO_DEEP || (worst === LARGE && scanJson(text, LIMITS).hasDoubtfulNumber)
}

const FINE = 0
const LARGE = 1
const TOO_DEEP = 2

const isLarge = (number: number) => number > Number.MAX_SAFE_INTEGER || number < Number.MIN_SAFE_INTEGER

/**
 * `LARGE` if a number is outside the safe integers, as every number that lost digits or overflowed is. `TOO_DEEP` takes
 * precedence.
 */
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

/** Returns the number of safe numbers before the first other item. This is the hot loop for vectors. */
function countSafe(items: unknown[]): number {
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (typeof item !== 'number' || isLarge(item)) return i
  }
  return items.length
}
