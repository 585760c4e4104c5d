/**
 * Building blocks for all schemas: TypeBox, so that schemas are JSON Schema, plus a few `x-` keywords.
 *
 * The keywords express rules that existing clients rely on and that JSON Schema lacks: texts that may be sent as numbers, keys
 * that must not be null, rules over several properties. The server's validator reads them; OpenAPI shows them.
 */
import type { Static, TSchema, Type as TypeBox } from 'typebox'

export type { Static, TSchema }

type Options = { [keyword: string]: unknown }
type Marked = TSchema & { '~optional'?: true }

/** Not enumerable, so that a serialized schema is plain JSON Schema. */
const isOptional = (schema: TSchema) => (schema as Marked)['~optional'] === true

const constructors = {
  String: (options?: Options) => ({ type: 'string', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  Number: (options?: Options) => ({ type: 'number', ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Null: (options?: Options) => ({ type: 'null', ...options }),
  Literal: (value: unknown, options?: Options) => ({ const: value, ...options }),
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Object: (properties: Record<string, TSchema>, options?: Options) => {
    const required = Object.keys(properties).filter(key => !isOptional(properties[key] as TSchema))
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options }
  },
  Union: (variants: TSchema[], options?: Options) => ({ anyOf: variants, ...options }),
  Unsafe: (schema: Options) => schema,
  Optional: (schema: Options) => Object.defineProperty({ ...schema }, '~optional', { value: true }),
  IsOptional: isOptional,
}

/**
 * TypeBox's types with our own constructors. The dozen that we use are a few lines, while loading TypeBox delays the start of
 * every thread by a tenth of a second.
 */
export const Type = constructors as unknown as Pick<typeof TypeBox, keyof typeof constructors>

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export type Id = string

/** A UUID. Any common spelling is accepted; responses use lower case with hyphens. */
export const Id = Type.String({ format: 'uuid' })

/**
 * UTC with microseconds and without a zone: `2026-11-15T02:11:22.769596`. A string, because JavaScript dates only have
 * milliseconds.
 */
export const Timestamp = Type.String({ 'x-format': 'timestamp' })
export type Timestamp = string

export const Timestamps = { inserted_at: Timestamp, updated_at: Timestamp }

/** Text with length limits in code points. */
export const Text = (minLength?: number, maxLength?: number) =>
  Type.String({ ...(minLength === undefined ? {} : { minLength }), ...(maxLength === undefined ? {} : { maxLength }) })

/** Text that clients may also send as a number, which is converted to decimal text. */
export const NumberAsText = Type.String({ 'x-number-as-text': true })

export const Int = (options: { minimum?: number; maximum?: number; exclusiveMinimum?: number; default?: number } = {}) =>
  Type.Integer(options)

/** An integer that must be a JSON number, not numeric text. */
export const StrictInt = Type.Integer({ 'x-strict': true })

export const Float = (options: { minimum?: number; maximum?: number } = {}) => Type.Number(options)

export const Bool = (options: { default?: boolean } = {}) => Type.Boolean(options)

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Nullable, and null if omitted. */
export const NullByDefault = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()], { default: null }))

/** Name of a field, question, metadata property, vectors settings or dataset. */
export const Name = Text(1, 200)

/** Title that users see instead of the name. */
export const Title = Text(1, 500)

/** A string enum. */
export const OneOf = <const T extends readonly string[]>(values: T, options: { default?: T[number] } = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

/**
 * Like OneOf, but an invalid word is reported as `literal_error`: for words that select a property instead of setting a value.
 */
export const Words = <const T extends readonly string[]>(values: T, options: { default?: T[number] } = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], 'x-literal': true, ...options })

/** A body that is not JSON (`bodyType: 'bytes'`). */
export const Bytes = Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' })

/** Any JSON value, at most JSON_DEPTH_MAX levels deep. */
export const AnyJson = Type.Unsafe<Json>({ 'x-json': true })

/** An object with arbitrary keys and values of one schema. */
export const Dictionary = <T extends TSchema>(
  values: T,
  options: { 'x-key-length'?: [number, number]; 'x-check'?: Check } = {},
) => Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: values, ...options })

/**
 * One of several objects, selected by the text in property `tag`. The path of a problem inside a variant contains that text:
 * `["body","settings","rating","options"]`.
 */
export const Tagged = <const T extends Record<string, TSchema>>(tag: string, variants: T) =>
  Type.Unsafe<Static<T[keyof T]>>({ 'x-tag': tag, 'x-variants': variants, oneOf: Object.values(variants) })

/** The first variant that matches. If none does, each variant's problems are reported under its label. */
export const AnyOf = <const T extends Record<string, TSchema>>(variants: T) =>
  Type.Unsafe<Static<T[keyof T]>>({ 'x-labelled': variants, anyOf: Object.values(variants) })

/** A rule over a whole value, run if its parts are valid: returns null or the problem (reported as `value_error`). */
export type Check = (value: never) => string | null

type ObjectOptions = {
  'x-check'?: Check
  /** Keys that must not be null, reported as one `value_error` for the whole object (for PATCH bodies). */
  'x-not-null'?: string[]
  /** Old spellings of keys, used if the new key is absent. */
  'x-alias'?: Record<string, string>
  /** Keys whose null is ignored if an old spelling has a value. */
  'x-null-is-absent'?: string[]
}

/** An object. Unknown keys are dropped, not rejected, because clients send many that the server does not use. */
export const Shape = <T extends Record<string, TSchema>>(properties: T, options: ObjectOptions = {}) =>
  Type.Object(properties, options)

export const Optional = Type.Optional

export const List = <T extends TSchema>(items: T, options: { minItems?: number; maxItems?: number; 'x-check'?: Check } = {}) =>
  Type.Array(items, options)

/** Response of list routes. */
export const Items = <T extends TSchema>(items: T) => Type.Object({ items: Type.Array(items) })

export const JSON_DEPTH_MAX = 100
