/**
 * Validates and converts the parts of a request by their schemas, with the error types and paths that existing clients expect.
 *
 * A schema is compiled once into closures. Compiling throws for a schema that `@postil/domain/schema` does not create, so that an
 * unsupported contract is found at start. Validating never throws; it collects problems.
 */
import { codePointLength } from '@postil/domain/code-points'
import type { ShapeProblem } from '@postil/domain/errors'
import { listed } from '@postil/domain/message-values'
import { type Check, JSON_DEPTH_MAX, type TSchema, Type } from '@postil/domain/schema'
import {
  booleanValidator,
  integerValidator,
  nullValidator,
  numberValidator,
  report,
  type Keywords as Scalar,
  textValidator,
  type Validator,
  wordValidator,
} from './validate-scalars.ts'

export type { Validator }

/** Checking of an array stops after this many problems, which limits the size of the response to a 64 MiB body. */
export const PROBLEMS_MAX = 1000

interface Keywords extends Scalar {
  items?: TSchema
  minItems?: number
  maxItems?: number
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  additionalProperties?: TSchema
  default?: unknown
  'x-json'?: boolean
  'x-tag'?: string
  'x-variants'?: Record<string, TSchema>
  'x-labelled'?: Record<string, TSchema>
  'x-key-length'?: [number, number]
  'x-not-null'?: string[]
  'x-alias'?: Record<string, string>
  'x-null-is-absent'?: string[]
  'x-check'?: Check
}

// TypeBox's type does not declare custom keywords.
const keywordsOf = (schema: TSchema) => schema as Keywords

const compiled = new WeakMap<TSchema, Validator>()

/** Returns the validator of a schema, cached by schema object. */
export function compileSchema(schema: TSchema): Validator {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const keywords = keywordsOf(schema)
  const parts = partsValidator(keywords)
  const validator = keywords['x-check'] === undefined ? parts : checked(parts, keywords['x-check'])
  compiled.set(schema, validator)
  return validator
}

function partsValidator(schema: Keywords): Validator {
  if (schema['x-tag'] !== undefined) return taggedValidator(schema['x-tag'], schema['x-variants'] ?? {})
  if (schema['x-labelled'] !== undefined) return labelledValidator(schema['x-labelled'])
  if (schema['x-json'] === true) return jsonValidator
  if (schema.anyOf !== undefined) return nullableValidator(schema.anyOf)
  if (schema.enum !== undefined || schema.const !== undefined) return wordValidator(schema)
  switch (schema.type) {
    case 'string':
      return textValidator(schema)
    case 'integer':
      return integerValidator(schema)
    case 'number':
      return numberValidator(schema)
    case 'boolean':
      return booleanValidator(schema)
    case 'null':
      return nullValidator
    case 'array':
      return listValidator(schema)
    case 'object':
      return schema.properties === undefined ? dictionaryValidator(schema) : shapeValidator(schema, schema.properties)
    default:
      throw new Error(`the validator cannot read this schema: ${JSON.stringify(schema).slice(0, 200)}`)
  }
}

/** The check of the whole value runs only if its parts are valid. */
function checked(validate: Validator, check: Check): Validator {
  return (value, loc, problems) => {
    const before = problems.length
    const output = validate(value, loc, problems)
    if (problems.length > before) return output
    const wrong = check(output as never)
    if (wrong !== null) report(problems, loc, 'value_error', wrong)
    return output
  }
}

function nullableValidator(variants: TSchema[]): Validator {
  const [schema, ...others] = variants.filter(variant => keywordsOf(variant).type !== 'null')
  if (schema === undefined || others.length > 0 || variants.length === 1) {
    throw new Error('the validator reads a union of one schema and null only; use AnyOf or Tagged for others')
  }
  const validate = compileSchema(schema)
  return (value, loc, problems) => (value === null ? null : validate(value, loc, problems))
}

type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const has = (object: JsonObject, key: string) => Object.hasOwn(object, key) && object[key] !== undefined

function taggedValidator(tag: string, variants: Record<string, TSchema>): Validator {
  const validators = new Map<unknown, Validator>(Object.entries(variants).map(([name, schema]) => [name, compileSchema(schema)]))
  const choices = `property \`${tag}\` must be one of: ${listed(Object.keys(variants))}`
  return (value, loc, problems) => {
    if (!isObject(value)) return report(problems, loc, 'model_attributes_type', 'must be an object')
    if (!has(value, tag)) return report(problems, loc, 'union_tag_not_found', choices)
    const validate = validators.get(value[tag])
    if (validate === undefined) return report(problems, loc, 'union_tag_invalid', choices)
    loc.push(value[tag] as string)
    const output = validate(value, loc, problems)
    loc.pop()
    return output
  }
}

function labelledValidator(variants: Record<string, TSchema>): Validator {
  const validators = Object.entries(variants).map(([label, schema]) => ({ label, validate: compileSchema(schema) }))
  return (value, loc, problems) => {
    const refused: ShapeProblem[] = []
    for (const { label, validate } of validators) {
      // A separate list: checking stops after many problems, and those of one variant must not stop the check of another.
      const own: ShapeProblem[] = []
      loc.push(label)
      const output = validate(value, loc, own)
      loc.pop()
      if (own.length === 0) return output
      for (const problem of own) refused.push(problem)
    }
    for (const problem of refused) problems.push(problem)
    return undefined
  }
}

function listValidator(schema: Keywords): Validator {
  if (schema.items === undefined) throw new Error('the validator needs the schema of a list’s items')
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  const validate = compileSchema(schema.items)
  const plainNumbers = isPlainNumber(keywordsOf(schema.items))
  return (value, loc, problems) => {
    if (!Array.isArray(value)) return report(problems, loc, 'list_type', 'must be a list')
    if (value.length > maxItems) {
      return report(problems, loc, 'too_long', `must have at most ${maxItems} item(s), has ${value.length}`)
    }
    const before = problems.length
    const output = plainNumbers && allFinite(value) ? value : validItems(value, validate, loc, problems)
    // Clients expect that an invalid item hides the error for too few items.
    if (value.length < minItems && problems.length === before) {
      return report(problems, loc, 'too_short', `must have at least ${minItems} item(s), has ${value.length}`)
    }
    return output
  }
}

function validItems(items: unknown[], validate: Validator, loc: (string | number)[], problems: ShapeProblem[]): unknown[] {
  const output: unknown[] = []
  const depth = loc.length
  loc.push(0)
  for (let i = 0; i < items.length && problems.length < PROBLEMS_MAX; i++) {
    loc[depth] = i
    output.push(validate(items[i], loc, problems))
  }
  loc.pop()
  return output
}

const isPlainNumber = ({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Keywords) =>
  type === 'number' && (minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum) === undefined

/** Fast path for vectors, which are most of the data in bulk calls: an array of finite numbers is used as is. */
function allFinite(items: unknown[]): boolean {
  for (let i = 0; i < items.length; i++) {
    if (!Number.isFinite(items[i])) return false
  }
  return true
}

function dictionaryValidator(schema: Keywords): Validator {
  if (schema.additionalProperties === undefined) throw new Error('the validator needs the schema of a dictionary’s values')
  const validate = compileSchema(schema.additionalProperties)
  const [keyMin, keyMax] = schema['x-key-length'] ?? [0, Number.POSITIVE_INFINITY]
  return (value, loc, problems) => {
    if (!isObject(value)) return report(problems, loc, 'dict_type', 'must be an object')
    const output: JsonObject = {}
    for (const key of Object.keys(value)) {
      if (problems.length >= PROBLEMS_MAX) break
      loc.push(key)
      checkKey(key, keyMin, keyMax, loc, problems)
      put(output, key, validate(value[key], loc, problems))
      loc.pop()
    }
    return output
  }
}

/** Assigns a property; `__proto__` becomes an ordinary one. */
function put(object: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

function checkKey(key: string, min: number, max: number, loc: (string | number)[], problems: ShapeProblem[]): void {
  if (key.length >= min * 2 && key.length <= max) return
  const length = codePointLength(key)
  if (length >= min && length <= max) return
  // The extra path element distinguishes an invalid key from an invalid value.
  loc.push('[key]')
  if (length < min) report(problems, loc, 'string_too_short', `a key must have at least ${min} character(s), has ${length}`)
  else report(problems, loc, 'string_too_long', `a key must have at most ${max} character(s), has ${length}`)
  loc.pop()
}

interface Part {
  key: string
  /** Names under which the value may be given, the key itself first. */
  spellings: string[]
  /** True if an explicit null counts as absent while another name has a value. */
  nullIsAbsent: boolean
  validate: Validator
  optional: boolean
  /** Creates the value of an absent key; null without a default. */
  makeDefault: (() => unknown) | null
}

function shapeValidator(schema: Keywords, properties: Record<string, TSchema>): Validator {
  const aliases = Object.entries(schema['x-alias'] ?? {})
  for (const key of [...aliases.map(([, key]) => key), ...(schema['x-not-null'] ?? [])]) {
    if (!Object.hasOwn(properties, key)) throw new Error(`x-alias or x-not-null names \`${key}\`, which is not a property`)
  }
  const parts = Object.entries(properties).map(([key, property]): Part => {
    const fallback = keywordsOf(property).default
    return {
      key,
      spellings: [key, ...aliases.filter(([, target]) => target === key).map(([alias]) => alias)],
      nullIsAbsent: schema['x-null-is-absent']?.includes(key) === true,
      validate: compileSchema(property),
      optional: Type.IsOptional(property),
      makeDefault: fallback === undefined ? null : () => structuredClone(fallback),
    }
  })
  const notNull = parts.filter(part => schema['x-not-null']?.includes(part.key))

  return (value, loc, problems) => {
    if (!isObject(value)) return report(problems, loc, 'model_attributes_type', 'must be an object')
    const nulls = notNull.filter(part => value[givenKey(part, value) ?? ''] === null).map(part => part.key)
    if (nulls.length > 0) return report(problems, loc, 'value_error', `null is not allowed for: ${listed(nulls)}`)
    const output: JsonObject = {}
    for (const part of parts) readPart(part, value, output, loc, problems)
    return output
  }
}

function givenKey(part: Part, value: JsonObject): string | undefined {
  for (const spelling of part.spellings) {
    if (has(value, spelling) && !(part.nullIsAbsent && value[spelling] === null)) return spelling
  }
  return part.nullIsAbsent && has(value, part.key) ? part.key : undefined
}

function readPart(part: Part, value: JsonObject, output: JsonObject, loc: (string | number)[], problems: ShapeProblem[]): void {
  const given = givenKey(part, value)
  if (given === undefined && part.makeDefault !== null) {
    output[part.key] = part.makeDefault()
  } else if (given !== undefined || !part.optional) {
    loc.push(given ?? part.key)
    if (given === undefined) report(problems, loc, 'missing', 'is required')
    else output[part.key] = part.validate(value[given], loc, problems)
    loc.pop()
  }
}

const jsonValidator: Validator = (value, loc, problems) => {
  const wrong = jsonFault(value, 0)
  return wrong === null ? value : report(problems, loc, 'value_error', wrong)
}

function jsonFault(value: unknown, depth: number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'numbers must be finite'
  if (typeof value !== 'object' || value === null) return null
  if (depth === JSON_DEPTH_MAX) return `must be nested at most ${JSON_DEPTH_MAX} levels deep`
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    const wrong = jsonFault(part, depth + 1)
    if (wrong !== null) return wrong
  }
  return null
}
