/**
 * The building blocks of every schema: TypeBox (so a schema is JSON Schema) plus a few `x-` keywords.
 *
 * The keywords say what JSON Schema cannot and existing clients rely on: which texts may be sent as numbers, where an
 * explicit null is refused, which rule spans several properties. The server's validator reads them; OpenAPI shows them.
 */
import type { Static, TSchema, Type as TypeBox } from 'typebox'

export type { Static, TSchema }

type Options = { [keyword: string]: unknown }
type Marked = TSchema & { '~optional'?: true }

/** Not enumerable, so that a schema stays plain JSON Schema when it is written out. */
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
 * TypeBox's types over constructors of our own: the dozen we use are a few lines, while loading TypeBox costs every thread
 * of a starting server a tenth of a second.
 */
export const Type = constructors as unknown as Pick<typeof TypeBox, keyof typeof constructors>

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export type Id = string

/** A UUID; any usual spelling comes in, lower case with hyphens goes out. */
export const Id = Type.String({ format: 'uuid' })

/** UTC, microseconds, no zone: `2026-11-15T02:11:22.769596`. Text, because a JavaScript date has milliseconds only. */
export const Timestamp = Type.String({ 'x-format': 'timestamp' })
export type Timestamp = string

export const Timestamps = { inserted_at: Timestamp, updated_at: Timestamp }

/** Text with a length counted in code points. */
export const Text = (minLength?: number, maxLength?: number) =>
  Type.String({ ...(minLength === undefined ? {} : { minLength }), ...(maxLength === undefined ? {} : { maxLength }) })

/** Text that clients may also send as a number, which then becomes its decimal text. */
export const NumberAsText = Type.String({ 'x-number-as-text': true })

export const Int = (options: { minimum?: number; maximum?: number; exclusiveMinimum?: number; default?: number } = {}) =>
  Type.Integer(options)

/** An integer that must be a JSON number: no numeric text. */
export const StrictInt = Type.Integer({ 'x-strict': true })

export const Float = (options: { minimum?: number; maximum?: number } = {}) => Type.Number(options)

export const Bool = (options: { default?: boolean } = {}) => Type.Boolean(options)

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Null when left out. */
export const NullByDefault = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()], { default: null }))

/** What fields, questions, metadata properties, vectors settings and datasets are called. */
export const Name = Text(1, 200)

/** What people read instead of the name. */
export const Title = Text(1, 500)

/** One of a few words. */
export const OneOf = <const T extends readonly string[]>(values: T, options: { default?: T[number] } = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

/** Like OneOf, but a wrong word is reported as `literal_error`: for words that pick a property rather than set a value. */
export const Words = <const T extends readonly string[]>(values: T, options: { default?: T[number] } = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], 'x-literal': true, ...options })

/** Any JSON value, at most JSON_DEPTH_MAX levels deep. */
export const AnyJson = Type.Unsafe<Json>({ 'x-json': true })

/** An object with any keys; values as given by the schema. */
export const Dictionary = <T extends TSchema>(
  values: T,
  options: { 'x-key-length'?: [number, number]; 'x-check'?: Check } = {},
) => Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: values, ...options })

/**
 * One of several objects, chosen by the text in property `tag`. A problem inside a variant has the tag's text as an extra
 * step in its path: `["body","settings","rating","options"]`.
 */
export const Tagged = <const T extends Record<string, TSchema>>(tag: string, variants: T) =>
  Type.Unsafe<Static<T[keyof T]>>({ 'x-tag': tag, 'x-variants': variants, oneOf: Object.values(variants) })

/** The first variant that fits; when none does, each variant's problems are reported under its label. */
export const AnyOf = <const T extends Record<string, TSchema>>(variants: T) =>
  Type.Unsafe<Static<T[keyof T]>>({ 'x-labelled': variants, anyOf: Object.values(variants) })

/** A rule over a whole value, run when its parts are well formed: null, or what is wrong (reported as `value_error`). */
export type Check = (value: never) => string | null

type ObjectOptions = {
  'x-check'?: Check
  /** Keys whose explicit null is refused with one `value_error` for the whole object (the PATCH bodies). */
  'x-not-null'?: string[]
  /** Old spellings of a key: read as the new one when the new one is absent. */
  'x-alias'?: Record<string, string>
  /** Keys whose null gives way to an old spelling that has a value. */
  'x-null-is-absent'?: string[]
}

/** An object. Keys it does not list are dropped, never refused: clients send many that mean nothing to us. */
export const Shape = <T extends Record<string, TSchema>>(properties: T, options: ObjectOptions = {}) =>
  Type.Object(properties, options)

export const Optional = Type.Optional

export const List = <T extends TSchema>(items: T, options: { minItems?: number; maxItems?: number; 'x-check'?: Check } = {}) =>
  Type.Array(items, options)

/** The usual answer of a list route. */
export const Items = <T extends TSchema>(items: T) => Type.Object({ items: Type.Array(items) })

export const JSON_DEPTH_MAX = 100
