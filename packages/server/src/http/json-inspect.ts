/**
 * Reads JSON text again, exactly and slowly, to say where it is wrong: the first syntax error, or else the values that
 * cannot be kept, each with its path.
 */
import type { ShapeProblem } from '@postil/domain/errors'
import { codePointLength } from '@postil/domain/own'

const PROBLEMS_MAX = 100

/** Deeper than any schema can use, and shallow enough for functions that call themselves. */
export const BODY_DEPTH_MAX = 1000

/** The first syntax error alone, or the values that cannot be kept; empty when there is nothing to say. */
export function inspectJson(text: string): ShapeProblem[] {
  const reader: Reader = { text, at: 0, path: [], problems: [] }
  try {
    readValue(reader)
    skipSpace(reader)
    if (reader.at < text.length) throw new Misread('the body must end after its value')
    return reader.problems
  } catch (error) {
    if (!(error instanceof Misread)) throw error
    return [{ type: 'json_invalid', loc: ['body', codePointOffset(text, reader.at)], msg: error.message }]
  }
}

/** Clients count characters, JavaScript counts UTF-16 units. */
export const codePointOffset = (text: string, index: number) => codePointLength(text.slice(0, index))

interface Reader {
  text: string
  at: number
  path: (string | number)[]
  problems: ShapeProblem[]
}

/** A syntax error at the reader's position. */
class Misread extends Error {}

function skipSpace(reader: Reader): void {
  while (' \t\n\r'.includes(reader.text.charAt(reader.at) || '.')) reader.at++
}

/** Skips space, then the character; false when another one stands there. */
function skip(reader: Reader, character: string): boolean {
  skipSpace(reader)
  if (reader.text.charAt(reader.at) !== character) return false
  reader.at++
  return true
}

function need(reader: Reader, character: string, message: string): void {
  if (!skip(reader, character)) throw new Misread(message)
}

function readValue(reader: Reader): void {
  skipSpace(reader)
  const first = reader.text.charAt(reader.at)
  if (reader.path.length >= BODY_DEPTH_MAX && (first === '{' || first === '[')) {
    throw new Misread(`the body must be nested at most ${BODY_DEPTH_MAX} levels deep`)
  }
  if (first === '{') readObject(reader)
  else if (first === '[') readList(reader)
  else if (first === '"') keep(reader, stringFault(readString(reader)))
  else if (first === '-' || isDigit(first)) readNumber(reader)
  else readWord(reader)
}

function readObject(reader: Reader): void {
  reader.at++
  if (skip(reader, '}')) return
  do {
    skipSpace(reader)
    if (reader.text.charAt(reader.at) !== '"') throw new Misread('a property name in double quotes was expected here')
    const key = readString(reader)
    reader.path.push(key)
    const fault = stringFault(key)
    keep(reader, fault === null ? null : `the property name ${fault}`)
    need(reader, ':', 'a colon was expected here')
    readValue(reader)
    reader.path.pop()
  } while (skip(reader, ','))
  need(reader, '}', 'a comma or a closing brace was expected here')
}

function readList(reader: Reader): void {
  reader.at++
  if (skip(reader, ']')) return
  const depth = reader.path.length
  reader.path.push(0)
  for (let i = 0; i === 0 || skip(reader, ','); i++) {
    reader.path[depth] = i
    readValue(reader)
  }
  reader.path.pop()
  need(reader, ']', 'a comma or a closing bracket was expected here')
}

function readWord(reader: Reader): void {
  const word = ['true', 'false', 'null'].find(known => reader.text.startsWith(known, reader.at))
  if (word === undefined) {
    throw new Misread(
      reader.at === reader.text.length ? 'the body ends too early' : 'a JSON value was expected here (NaN and Infinity are none)',
    )
  }
  reader.at += word.length
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** The string's value; its text is checked on the way. */
function readString(reader: Reader): string {
  const { text } = reader
  const start = reader.at
  reader.at++
  for (;;) {
    const code = text.charCodeAt(reader.at)
    if (Number.isNaN(code)) throw new Misread('the body ends inside a string')
    if (code < 0x20) throw new Misread('a control character in a string must be written as an escape, such as \\n')
    if (code === 0x22) break
    if (code === 0x5c) {
      ESCAPE.lastIndex = reader.at
      if (!ESCAPE.test(text)) throw new Misread('this is no escape of JSON')
      reader.at = ESCAPE.lastIndex
    } else reader.at++
  }
  reader.at++
  return JSON.parse(text.slice(start, reader.at)) as string
}

function stringFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character'
  if (!text.isWellFormed())
    return 'must not contain half of a surrogate pair; write characters beyond U+FFFF as \\uD8xx\\uDCxx or as they are'
  return null
}

const isDigit = (character: string) => character >= '0' && character <= '9'

/** Moves over digits; at least one must be there. */
function readDigits(reader: Reader): void {
  if (!isDigit(reader.text.charAt(reader.at))) throw new Misread('a digit was expected here')
  while (isDigit(reader.text.charAt(reader.at))) reader.at++
}

function readNumber(reader: Reader): void {
  const { text } = reader
  const start = reader.at
  if (text.charAt(reader.at) === '-') reader.at++
  if (text.charAt(reader.at) === '0') reader.at++
  else readDigits(reader)
  let integer = true
  if (text.charAt(reader.at) === '.') {
    integer = false
    reader.at++
    readDigits(reader)
  }
  if (/[eE]/.test(text.charAt(reader.at))) {
    integer = false
    reader.at++
    if (/[+-]/.test(text.charAt(reader.at))) reader.at++
    readDigits(reader)
  }
  keep(reader, numberFault(Number(text.slice(start, reader.at)), integer))
}

function numberFault(number: number, integer: boolean): string | null {
  if (integer && !Number.isSafeInteger(number)) {
    return `an integer must lie between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}; send a larger one as text`
  }
  if (!Number.isFinite(number)) return `a number must lie between -${Number.MAX_VALUE} and ${Number.MAX_VALUE}`
  return null
}

function keep(reader: Reader, fault: string | null): void {
  if (fault === null || reader.problems.length >= PROBLEMS_MAX) return
  reader.problems.push({ type: 'value_error', loc: ['body', ...reader.path], msg: fault })
}
