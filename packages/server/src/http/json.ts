/**
 * JSON bodies from anywhere. What `JSON.parse` would take and silently change, or what no database holds, is refused with
 * its place: integers that lose digits, numbers beyond the range, NUL characters, halves of surrogate pairs.
 *
 * Clean bodies pay little: a count of brackets when the body is large, one search for escapes, one walk over the parsed
 * values. The exact walk over the text (`json-inspect.ts`) runs only when those find something.
 */
import { isUtf8 } from 'node:buffer'
import { ShapeError } from '@postil/domain/errors'
import { rememberVectorTexts } from '../lib/vector-texts.ts'
import { BODY_DEPTH_MAX, codePointOffset, inspectJson } from './json-inspect.ts'

/** Lists and objects in one body. 64 MiB of `[],[],` would cost ten seconds and two gigabytes, without credentials. */
export const BODY_CONTAINERS_MAX = 2_000_000

/** The value of a JSON body, or throws a ShapeError. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  checkContainers(text)
  const value = parse(text)
  if ((text.includes('\\u') && SUSPICIOUS_ESCAPE.test(text)) || isSuspicious(value, 0)) {
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

function checkContainers(text: string): void {
  if (text.length <= BODY_CONTAINERS_MAX) return
  // Brackets inside strings count here, so that most bodies need no look at where strings begin and end.
  if (countOf('{', text) + countOf('[', text) <= BODY_CONTAINERS_MAX) return
  const landmark = /["[{]/g
  for (let containers = 0; landmark.test(text); ) {
    const at = landmark.lastIndex - 1
    if (text.charAt(at) === '"') landmark.lastIndex = endOfString(text, at + 1)
    else if (++containers > BODY_CONTAINERS_MAX) {
      throw jsonInvalid(text, at, `the body must hold at most ${BODY_CONTAINERS_MAX} lists and objects`)
    }
  }
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++
  return count
}

/** The position after the closing quote. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? text.length : quote + 1
}

function isEscaped(text: string, at: number): boolean {
  let i = at - 1
  while (text.charAt(i) === '\\') i--
  return (at - i) % 2 === 0
}

/**
 * A NUL, or half of a surrogate pair: a first half that no second half follows, or a second half without a first before it.
 * After an escaped backslash the pairing cannot be told here, hence the last branch.
 */
const SUSPICIOUS_ESCAPE =
  /\\u(?:0000|[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|[c-fC-F]..(?<!\\u[dD][89abAB]..\\u....)))|\\\\u[dD][89a-fA-F]/

const isLarge = (number: number) => number > Number.MAX_SAFE_INTEGER || number < Number.MIN_SAFE_INTEGER

/**
 * Nested too deep, or with a number beyond the safe integers. An integer that lost digits and a number that overflowed are
 * such numbers; `1e20` is one too and fine, which only the text can tell.
 */
function isSuspicious(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return isLarge(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth === BODY_DEPTH_MAX) return true
  if (Array.isArray(value)) return isSuspiciousList(value, depth)
  for (const key in value) {
    if (isSuspicious((value as Record<string, unknown>)[key], depth + 1)) return true
  }
  return false
}

function isSuspiciousList(items: unknown[], depth: number): boolean {
  const plain = countSafe(items)
  for (let i = plain; i < items.length; i++) {
    if (isSuspicious(items[i], depth + 1)) return true
  }
  return false
}

/** How many items are safe numbers, up to the first that is not. Vectors spend their time in this loop. */
function countSafe(items: unknown[]): number {
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (typeof item !== 'number' || isLarge(item)) return i
  }
  return items.length
}
