/**
 * Parses JSON text a second time to locate errors: the first syntax error, or else the values that cannot be stored, each with
 * its path. It compares character codes and extracts text only for the problems it reports, because an attacker may send 64 MiB
 * bodies to make it run.
 */
import { codePointLength } from '@postil/domain/code-points'
import type { ShapeProblem } from '@postil/domain/errors'
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

const PROBLEMS_MAX = 100

/** Deeper than any schema can use, and shallow enough for recursive functions. */
export const BODY_DEPTH_MAX = 1000

/** Returns only the first syntax error, or the values that cannot be stored; empty if there are none. */
export function inspectJson(text: string): ShapeProblem[] {
  const reader: Reader = { text, at: 0, path: [], problems: [] }
  try {
    readValue(reader)
    skipSpace(reader)
    if (reader.at < text.length) throw new JsonSyntaxError('the body must end after its value')
    return reader.problems
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return [{ type: 'json_invalid', loc: ['body', codePointOffset(text, reader.at)], msg: error.message }]
  }
}

/** Clients count characters (code points), JavaScript counts UTF-16 units. */
export const codePointOffset = (text: string, index: number) => codePointLength(text.slice(0, index))

interface Reader {
  text: string
  at: number
  /** An array index as is; a property name as `-1 - start`, where `start` is the position of its opening quote. */
  path: number[]
  problems: ShapeProblem[]
}

/** A syntax error at the reader's position. */
class JsonSyntaxError extends Error {}

function skipSpace(reader: Reader): void {
  const { text } = reader
  for (;;) {
    const code = text.charCodeAt(reader.at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    reader.at++
  }
}

/** Skips whitespace, then the character; returns false if the next character is another one. */
function skip(reader: Reader, code: number): boolean {
  skipSpace(reader)
  if (reader.text.charCodeAt(reader.at) !== code) return false
  reader.at++
  return true
}

function need(reader: Reader, code: number, message: string): void {
  if (!skip(reader, code)) throw new JsonSyntaxError(message)
}

function readValue(reader: Reader): void {
  skipSpace(reader)
  const first = reader.text.charCodeAt(reader.at)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    if (reader.path.length >= BODY_DEPTH_MAX) {
      throw new JsonSyntaxError(`the body must be nested at most ${BODY_DEPTH_MAX} levels deep`)
    }
    if (first === OPEN_BRACE) readObject(reader)
    else readList(reader)
  } else if (first === QUOTE) {
    const fault = readString(reader)
    if (fault !== null) keep(reader, fault)
  } else if (first === MINUS || isDigitCode(first)) readNumber(reader)
  else readWord(reader)
}

function readObject(reader: Reader): void {
  reader.at++
  if (skip(reader, CLOSE_BRACE)) return
  do {
    skipSpace(reader)
    if (reader.text.charCodeAt(reader.at) !== QUOTE)
      throw new JsonSyntaxError('a property name in double quotes was expected here')
    reader.path.push(-1 - reader.at)
    const fault = readString(reader)
    if (fault !== null) keep(reader, `the property name ${fault}`)
    need(reader, COLON, 'a colon was expected here')
    readValue(reader)
    reader.path.pop()
  } while (skip(reader, COMMA))
  need(reader, CLOSE_BRACE, 'a comma or a closing brace was expected here')
}

function readList(reader: Reader): void {
  reader.at++
  if (skip(reader, CLOSE_BRACKET)) return
  const depth = reader.path.length
  reader.path.push(0)
  for (let i = 0; i === 0 || skip(reader, COMMA); i++) {
    reader.path[depth] = i
    readValue(reader)
  }
  reader.path.pop()
  need(reader, CLOSE_BRACKET, 'a comma or a closing bracket was expected here')
}

function readWord(reader: Reader): void {
  const word = ['true', 'false', 'null'].find(known => reader.text.startsWith(known, reader.at))
  if (word === undefined) {
    throw new JsonSyntaxError(
      reader.at === reader.text.length ? 'the body ends too early' : 'a JSON value was expected here (NaN and Infinity are none)',
    )
  }
  reader.at += word.length
}

/** Returns what is wrong with the string, or null. Throws on a syntax error. */
function readString(reader: Reader): string | null {
  const { text } = reader
  const start = reader.at
  let hasCodes = false
  reader.at++
  for (;;) {
    const code = text.charCodeAt(reader.at)
    if (Number.isNaN(code)) throw new JsonSyntaxError('the body ends inside a string')
    if (code < 0x20) throw new JsonSyntaxError('a control character in a string must be written as an escape, such as \\n')
    if (code === QUOTE) break
    if (code !== BACKSLASH) reader.at++
    else if (readEscape(reader)) hasCodes = true
  }
  reader.at++
  // The text was decoded from UTF-8, so only a `\u` escape can produce a NUL or half of a surrogate pair.
  return hasCodes && reader.problems.length < PROBLEMS_MAX ? stringFault(JSON.parse(text.slice(start, reader.at))) : null
}

const LETTER_U = 0x75

/** Moves past an escape; returns true for a `\u` escape. */
function readEscape(reader: Reader): boolean {
  const { text } = reader
  const letter = text.charCodeAt(reader.at + 1)
  if (letter !== LETTER_U) {
    if (!isSimpleEscape(letter)) throw new JsonSyntaxError('this is no escape of JSON')
    reader.at += 2
    return false
  }
  for (let i = 2; i < 6; i++)
    if (!isHexCode(text.charCodeAt(reader.at + i))) throw new JsonSyntaxError('this is no escape of JSON')
  reader.at += 6
  return true
}

/** `"`, `\`, `/`, b, f, n, r and t. */
function isSimpleEscape(code: number): boolean {
  switch (code) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true
    default:
      return false
  }
}

const isHexCode = (code: number) => isDigitCode(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)

function stringFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character'
  if (!text.isWellFormed())
    return 'must not contain half of a surrogate pair; write characters beyond U+FFFF as \\uD8xx\\uDCxx or as they are'
  return null
}

/** Moves past digits and returns their number; at least one is required. */
function readDigits(reader: Reader): number {
  const { text } = reader
  const start = reader.at
  if (!isDigitCode(text.charCodeAt(start))) throw new JsonSyntaxError('a digit was expected here')
  while (isDigitCode(text.charCodeAt(reader.at))) reader.at++
  return reader.at - start
}

function readNumber(reader: Reader): void {
  const { text } = reader
  const start = reader.at
  if (text.charCodeAt(reader.at) === MINUS) reader.at++
  let digits = 1
  if (text.charCodeAt(reader.at) === 0x30) reader.at++
  else digits = readDigits(reader)
  const afterDigits = reader.at
  if (text.charCodeAt(reader.at) === POINT) {
    reader.at++
    readDigits(reader)
  }
  let exponentDigits = 0
  if (isExponentCode(text.charCodeAt(reader.at))) {
    reader.at++
    const sign = text.charCodeAt(reader.at)
    if (sign === PLUS || sign === MINUS) reader.at++
    exponentDigits = readDigits(reader)
  }
  const isInteger = reader.at === afterDigits
  const isDoubtful = isInteger ? digits > EXACT_DIGITS_MAX : mayOverflow(text, digits, reader.at - exponentDigits, reader.at)
  // Extracts a number from the text only if its value is needed to judge it.
  if (!isDoubtful || reader.problems.length >= PROBLEMS_MAX) return
  const fault = numberFault(Number(text.slice(start, reader.at)), isInteger)
  if (fault !== null) keep(reader, fault)
}

function numberFault(number: number, isInteger: boolean): string | null {
  if (isInteger && !Number.isSafeInteger(number)) {
    return `an integer must lie between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}; send a larger one as text`
  }
  if (!Number.isFinite(number)) return `a number must lie between -${Number.MAX_VALUE} and ${Number.MAX_VALUE}`
  return null
}

function keep(reader: Reader, fault: string): void {
  if (reader.problems.length >= PROBLEMS_MAX) return
  const path = reader.path.map(step => (step >= 0 ? step : nameAt(reader.text, -1 - step)))
  reader.problems.push({ type: 'value_error', loc: ['body', ...path], msg: fault })
}

/** Returns the property name whose opening quote is at `start`. */
function nameAt(text: string, start: number): string {
  let end = start + 1
  while (text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1
  return JSON.parse(text.slice(start, end + 1)) as string
}
