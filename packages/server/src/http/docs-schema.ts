/** Formats a schema as short text: `{ name: text (1 to 200 characters), role?: "admin" | "annotator" }`, one key per line. */
import type { OpenApiDocument, OpenApiSchema } from '@postil/domain/api/openapi'

/** Enough for all our schemas; also ends recursive unions. */
const DEPTH_MAX = 12

export function schemaText(document: OpenApiDocument, schema: OpenApiSchema): string {
  return toText({ document, depth: 0 }, schema)
}

interface Place {
  document: OpenApiDocument
  depth: number
}

function toText(place: Place, schema: OpenApiSchema): string {
  if (place.depth > DEPTH_MAX) return '…'
  const deeper = { ...place, depth: place.depth + 1 }
  if (typeof schema.$ref === 'string') return toText(deeper, place.document.components.schemas[nameOf(schema.$ref)] ?? {})

  const variants = (schema.anyOf ?? schema.oneOf) as OpenApiSchema[] | undefined
  if (variants !== undefined) return withNotes(variants.map(variant => toText(place, variant)).join(' | '), schema)
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (words !== undefined) return withNotes((words as unknown[]).map(word => JSON.stringify(word)).join(' | '), schema)
  if (schema.type === 'array') return withNotes(`list of ${toText(place, (schema.items ?? {}) as OpenApiSchema)}`, schema)
  if (schema.type === 'object') return withNotes(objectText(deeper, schema), schema)
  return withNotes(kindText(schema), schema)
}

const nameOf = (ref: string) => ref.split('/').at(-1) ?? ''

function objectText(place: Place, schema: OpenApiSchema): string {
  const indent = '  '.repeat(place.depth)
  const required = (schema.required ?? []) as string[]
  const lines = Object.entries((schema.properties ?? {}) as Record<string, OpenApiSchema>).map(
    ([key, property]) => `${indent}${key}${required.includes(key) ? '' : '?'}: ${toText(place, property)}`,
  )
  if (typeof schema.additionalProperties === 'object' && schema.additionalProperties !== null) {
    lines.push(`${indent}[any key]: ${toText(place, schema.additionalProperties as OpenApiSchema)}`)
  }
  return lines.length === 0 ? '{ }' : `{\n${lines.join('\n')}\n${indent.slice(2)}}`
}

const KINDS: { readonly [type: string]: string } = { string: 'text', boolean: 'true | false' }

function kindText({ type, format, 'x-format': ownFormat }: OpenApiSchema): string {
  if (typeof format === 'string') return format
  if (typeof ownFormat === 'string') return ownFormat
  if (Array.isArray(type)) return type.map(one => KINDS[one] ?? one).join(' | ')
  return typeof type === 'string' ? (KINDS[type] ?? type) : 'any JSON'
}

/** Appends limits and defaults in parentheses. */
function withNotes(text: string, schema: OpenApiSchema): string {
  const notes = [
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    range(schema.minimum, schema.maximum, ''),
    schema.exclusiveMinimum === undefined ? '' : `above ${schema.exclusiveMinimum}`,
    schema['x-number-as-text'] === true ? 'a number is taken too' : '',
    schema.default === undefined ? '' : `${JSON.stringify(schema.default)} when left out`,
  ].filter(note => note !== '')
  return notes.length === 0 ? text : `${text} (${notes.join('; ')})`
}

function range(min: unknown, max: unknown, unit: string): string {
  if (min === undefined && max === undefined) return ''
  if (max === undefined) return `at least ${min}${unit}`
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`
}
