/**
 * Validators of single values: strings, numbers, booleans, enums, ids, URLs.
 *
 * There are few conversions, exactly those that existing clients rely on: numeric strings for numbers, words for booleans, every
 * common spelling of a UUID. Messages never repeat the value, because it may be record content.
 */
import { codePointLength } from '@postil/domain/code-points'
import type { ShapeProblem } from '@postil/domain/errors'
import { listed } from '@postil/domain/message-values'

/**
 * Returns the converted value and adds errors to `problems`; never throws. `loc` is one array shared by the whole validation:
 * path elements are pushed and popped, and it is copied only for a problem, so that valid values allocate no paths.
 */
export type Validator = (value: unknown, loc: (string | number)[], problems: ShapeProblem[]) => unknown

/** The keywords of `@postil/domain/schema`, as the compiler reads them. */
export interface Keywords {
  type?: string
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  'x-number-as-text'?: boolean
  'x-trim'?: boolean
  'x-strict'?: boolean
  'x-literal'?: boolean
}

const URL_LENGTH_MAX = 2083

/** Longer strings are not plausible numbers. Also bounds the regular expressions below. */
const NUMERIC_TEXT_LENGTH_MAX = 400

export function report(problems: ShapeProblem[], loc: readonly (string | number)[], type: string, msg: string): undefined {
  problems.push({ type, loc: [...loc], msg })
}

export function textValidator(schema: Keywords): Validator {
  if (schema.format === 'uuid') return uuidValidator
  if (schema.format === 'uri') return urlValidator(schema.maxLength ?? URL_LENGTH_MAX)
  if (schema.format !== undefined) throw new Error(`the validator knows no format \`${schema.format}\`; it knows uuid and uri`)

  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const numberAsText = schema['x-number-as-text'] === true
  const trim = schema['x-trim'] === true
  const pattern = schema.pattern === undefined ? null : new RegExp(schema.pattern, 'u')

  return (value, loc, problems) => {
    let text = value
    if (numberAsText && typeof value === 'number' && Number.isFinite(value)) text = String(value)
    if (typeof text !== 'string') return report(problems, loc, 'string_type', 'must be text')
    if (trim) text = text.trim()
    return checkedText(text as string, minLength, maxLength, pattern, loc, problems)
  }
}

function checkedText(
  text: string,
  minLength: number,
  maxLength: number,
  pattern: RegExp | null,
  loc: (string | number)[],
  problems: ShapeProblem[],
): unknown {
  // The number of code points is between half the number of UTF-16 units and that number, so most strings need no count.
  if (text.length < minLength * 2) {
    const length = codePointLength(text)
    if (length < minLength) {
      return report(problems, loc, 'string_too_short', `must have at least ${minLength} character(s), has ${length}`)
    }
  }
  if (text.length > maxLength) {
    const length = codePointLength(text)
    if (length > maxLength) {
      return report(problems, loc, 'string_too_long', `must have at most ${maxLength} character(s), has ${length}`)
    }
  }
  // The JSON parser refuses NUL, but it can still occur in a path, query or form, and PostgreSQL cannot store it.
  if (text.includes('\0')) return report(problems, loc, 'value_error', 'must not contain a NUL character')
  if (pattern !== null && !pattern.test(text)) {
    return report(problems, loc, 'string_pattern_mismatch', `must match the pattern ${pattern.source}`)
  }
  return text
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/
const UUID_LENGTH_MAX = 45

const uuidValidator: Validator = (value, loc, problems) => {
  if (typeof value !== 'string') return report(problems, loc, 'uuid_type', 'must be a UUID as text')
  const id = toUuid(value)
  if (id === null) return report(problems, loc, 'uuid_parsing', 'must be a UUID, such as 6a0c0b0e-2f0e-4f3d-9a54-3c0d6d9b7f11')
  return id
}

/**
 * Returns the id in lower case with hyphens, or null. Also accepts spellings without hyphens, with `urn:uuid:` or with braces.
 */
function toUuid(text: string): string | null {
  if (UUID.test(text)) return text
  if (text.length > UUID_LENGTH_MAX) return null
  let bare = text.toLowerCase()
  if (bare.startsWith('urn:uuid:')) bare = bare.slice('urn:uuid:'.length)
  else if (bare.startsWith('{') && bare.endsWith('}')) bare = bare.slice(1, -1)
  if (UUID.test(bare)) return bare
  const hex = UUID_HEX.exec(bare)
  return hex === null ? null : hex.slice(1).join('-')
}

function urlValidator(maxLength: number): Validator {
  return (value, loc, problems) => {
    if (typeof value !== 'string') return report(problems, loc, 'url_type', 'must be a URL as text')
    if (value.length > maxLength && codePointLength(value) > maxLength) {
      return report(problems, loc, 'url_too_long', `must have at most ${maxLength} characters`)
    }
    const url = URL.parse(value)
    if (url === null) return report(problems, loc, 'url_parsing', 'must be an absolute URL, such as https://example.com/path')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      return report(problems, loc, 'url_scheme', 'must be a URL that begins with http:// or https://')
    }
    return url.href
  }
}

// Existing clients send `3.0` as an integer, also as a string.
const INTEGER_TEXT = /^\s*[+-]?\d+(?:\.0+)?\s*$/
const FLOAT_TEXT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/

const numericText = (text: string, form: RegExp) =>
  text.length <= NUMERIC_TEXT_LENGTH_MAX && form.test(text) ? Number(text) : Number.NaN

export function integerValidator(schema: Keywords): Validator {
  const strict = schema['x-strict'] === true
  const check = boundsCheck(schema)
  return (value, loc, problems) => {
    let number = value
    if (typeof value === 'string' && !strict) {
      number = numericText(value, INTEGER_TEXT)
      if (Number.isNaN(number)) return report(problems, loc, 'int_parsing', 'must be an integer, or one written as text')
    }
    if (typeof number !== 'number') return report(problems, loc, 'int_type', 'must be an integer')
    if (!Number.isInteger(number)) {
      return report(problems, loc, strict ? 'int_type' : 'int_from_float', 'must be an integer, without a fraction')
    }
    if (check !== null && !check(number, loc, problems)) return undefined
    if (!Number.isSafeInteger(number)) {
      return report(problems, loc, 'int_parsing', `must lie between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`)
    }
    return number
  }
}

export function numberValidator(schema: Keywords): Validator {
  const strict = schema['x-strict'] === true
  const check = boundsCheck(schema)
  return (value, loc, problems) => {
    let number = value
    if (typeof value === 'string' && !strict) number = numericText(value, FLOAT_TEXT)
    if (typeof number !== 'number') return report(problems, loc, 'float_type', 'must be a number')
    if (!Number.isFinite(number)) return report(problems, loc, 'float_parsing', 'must be a finite number, or one written as text')
    if (check !== null && !check(number, loc, problems)) return undefined
    return number
  }
}

type BoundsCheck = (number: number, loc: (string | number)[], problems: ShapeProblem[]) => boolean

function boundsCheck(schema: Keywords): BoundsCheck | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const bounds: { type: string; msg: string; holds: (number: number) => boolean }[] = []
  if (minimum !== undefined)
    bounds.push({ type: 'greater_than_equal', msg: `must be at least ${minimum}`, holds: n => n >= minimum })
  if (maximum !== undefined) bounds.push({ type: 'less_than_equal', msg: `must be at most ${maximum}`, holds: n => n <= maximum })
  if (exclusiveMinimum !== undefined) {
    bounds.push({ type: 'greater_than', msg: `must be greater than ${exclusiveMinimum}`, holds: n => n > exclusiveMinimum })
  }
  if (exclusiveMaximum !== undefined) {
    bounds.push({ type: 'less_than', msg: `must be less than ${exclusiveMaximum}`, holds: n => n < exclusiveMaximum })
  }
  if (bounds.length === 0) return null
  return (number, loc, problems) => {
    const broken = bounds.find(bound => !bound.holds(number))
    if (broken !== undefined) report(problems, loc, broken.type, broken.msg)
    return broken === undefined
  }
}

const TRUE_WORDS = new Set(['true', 't', 'yes', 'y', 'on', '1'])
const FALSE_WORDS = new Set(['false', 'f', 'no', 'n', 'off', '0'])

export function booleanValidator(schema: Keywords): Validator {
  const strict = schema['x-strict'] === true
  return (value, loc, problems) => {
    if (typeof value === 'boolean') return value
    if (strict || (typeof value !== 'string' && typeof value !== 'number')) {
      return report(problems, loc, 'bool_type', 'must be true or false')
    }
    const word = typeof value === 'number' ? String(value) : value.length > 5 ? '' : value.toLowerCase()
    if (TRUE_WORDS.has(word)) return true
    if (FALSE_WORDS.has(word)) return false
    return report(
      problems,
      loc,
      'bool_parsing',
      'must be true or false, or one of the words for them: t, f, yes, no, y, n, on, off, 1, 0',
    )
  }
}

export function wordValidator(schema: Keywords): Validator {
  const words = new Set(schema.enum ?? [schema.const])
  const type = schema['x-literal'] === true || schema.enum === undefined ? 'literal_error' : 'enum'
  const msg = `must be one of: ${listed([...words])}`
  return (value, loc, problems) => (words.has(value) ? value : report(problems, loc, type, msg))
}

export const nullValidator: Validator = (value, loc, problems) =>
  value === null ? null : report(problems, loc, 'none_required', 'must be null')
