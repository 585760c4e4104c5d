/**
 * The OpenAPI 3.1 description, generated from the route contracts, so that it always matches the server.
 *
 * Schemas are inlined. Only variants of tagged unions and error shapes are components, because a discriminator can only refer to
 * components.
 */
import { type TSchema, Type } from '../schema.ts'
import type { Route } from './route.ts'

export type OpenApiSchema = { [keyword: string]: unknown }

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: OpenApiSchema
}

export interface OpenApiContent {
  [mediaType: string]: { schema: OpenApiSchema }
}

export type OpenApiResponse = { description: string; content?: OpenApiContent } | { $ref: string }

export interface OpenApiOperation {
  operationId: string
  summary: string
  tags: string[]
  security: { [scheme: string]: string[] }[]
  parameters: OpenApiParameter[]
  requestBody?: { required: boolean; content: OpenApiContent }
  responses: { [status: string]: OpenApiResponse }
}

export interface OpenApiInfo {
  title: string
  version: string
  description?: string
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: OpenApiInfo
  tags: { name: string }[]
  paths: { [path: string]: { [method: string]: OpenApiOperation } }
  components: {
    securitySchemes: { [name: string]: OpenApiSchema }
    responses: { [name: string]: OpenApiResponse }
    schemas: { [name: string]: OpenApiSchema }
  }
}

export function toOpenApi(routes: readonly Route[], info: OpenApiInfo): OpenApiDocument {
  const writer: Writer = { schemas: { ...ERROR_SCHEMAS }, variants: new Map() }
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    const operations = paths[path] ?? {}
    operations[route.method.toLowerCase()] = toOperation(writer, route)
    paths[path] = operations
  }
  return {
    openapi: '3.1.0',
    info,
    tags: [...new Set(routes.map(route => route.tag))].map(name => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, responses: ERROR_RESPONSES, schemas: writer.schemas },
  }
}

const BODY_MEDIA_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
}

function toOperation(writer: Writer, route: Route): OpenApiOperation {
  const mediaType = BODY_MEDIA_TYPES[route.bodyType ?? 'json']
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [route.tag],
    security: route.auth ? Object.keys(SECURITY_SCHEMES).map(name => ({ [name]: [] })) : [],
    parameters: [...pathParameters(writer, route), ...queryParameters(writer, route)],
    ...(route.body && {
      requestBody: { required: true, content: { [mediaType]: { schema: toSchema(writer, route.body, route.id) } } },
    }),
    responses: toResponses(writer, route),
  }
}

/** Lists every parameter in the path, including those that the contract accepts as any text. */
function pathParameters(writer: Writer, route: Route): OpenApiParameter[] {
  const properties = propertiesOf(route.params)
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema = properties[name]
    return { name, in: 'path', required: true, schema: schema ? toSchema(writer, schema, name) : { type: 'string' } }
  })
}

function queryParameters(writer: Writer, route: Route): OpenApiParameter[] {
  return Object.entries(propertiesOf(route.query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: isRequired(schema),
    schema: toSchema(writer, schema, name),
  }))
}

const typesOf = ({ responseType, fileTypes = [] }: Route) => [responseType ?? 'application/json', ...fileTypes]

function toResponses(writer: Writer, route: Route): OpenApiOperation['responses'] {
  const schema = route.response && toSchema(writer, route.response, route.id)
  // A stream is endless text, which no schema describes.
  const content = route.stream
    ? { content: { 'text/event-stream': { schema: TEXT } } }
    : schema && { content: Object.fromEntries(typesOf(route).map(type => [type, { schema }])) }
  const responses: OpenApiOperation['responses'] = {}
  for (const status of [route.status, ...(route.otherStatuses ?? [])]) {
    responses[status] = { description: status < 400 ? 'Success' : 'Failure', ...(status === 204 ? {} : content) }
  }
  const refused = (status: number, name: string) => {
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
  const refusals: readonly number[] = route.auth ? [401, 403] : (route.refusals ?? [])
  if (refusals.includes(401)) refused(401, 'Unauthorized')
  if (refusals.includes(403)) refused(403, 'Forbidden')
  if (route.path.includes('/:')) refused(404, 'NotFound')
  if (route.params || route.query || route.body) refused(422, 'Unprocessable')
  responses.default = { $ref: '#/components/responses/OtherError' }
  return responses
}

// TypeBox's `TSchema` does not declare the JSON Schema keywords.
const keywordsOf = (schema: TSchema) => schema as OpenApiSchema

const propertiesOf = (schema: TSchema | undefined) =>
  ((schema && keywordsOf(schema).properties) ?? {}) as { readonly [name: string]: TSchema }

/** A key with a default may be omitted, whether or not it is marked as optional. */
const isRequired = (schema: TSchema) => !Type.IsOptional(schema) && keywordsOf(schema).default === undefined

interface Writer {
  schemas: { [name: string]: OpenApiSchema }
  /** Component name of each tagged variant, so that a union used by ten routes is written once. */
  variants: Map<TSchema, string>
}

/** Keywords for the server's validator only. Standard keywords describe the same rules to clients. */
const INNER_KEYWORDS = new Set(['x-check', 'x-json', 'x-tag', 'x-variants', 'x-labelled'])

/** `name` is the name of the property or route that uses the schema. */
function toSchema(writer: Writer, schema: TSchema, name: string): OpenApiSchema {
  const keywords = keywordsOf(schema)
  if (keywords['x-tag'] !== undefined) return toTagged(writer, keywords, name)

  const written: OpenApiSchema = {}
  for (const [keyword, value] of Object.entries(keywords)) {
    if (INNER_KEYWORDS.has(keyword)) continue
    if (keyword === 'properties') {
      const properties = Object.entries(value as Record<string, TSchema>)
      written.properties = Object.fromEntries(properties.map(([key, part]) => [key, toSchema(writer, part, key)]))
      written.required = properties.filter(([, part]) => isRequired(part)).map(([key]) => key)
    } else if (keyword === 'items' || keyword === 'additionalProperties') {
      written[keyword] = toSchema(writer, value as TSchema, name)
    } else if (keyword === 'anyOf' || keyword === 'oneOf') {
      written[keyword] = (value as TSchema[]).map(part => toSchema(writer, part, name))
    } else if (keyword !== 'required' && typeof value !== 'function') {
      written[keyword] = value
    }
  }
  return written
}

function toTagged(writer: Writer, keywords: OpenApiSchema, name: string): OpenApiSchema {
  const variants = Object.entries(keywords['x-variants'] as Record<string, TSchema>)
  const mapping = Object.fromEntries(variants.map(([tag, variant]) => [tag, toVariant(writer, variant, `${name}_${tag}`)]))
  return {
    oneOf: Object.values(mapping).map($ref => ({ $ref })),
    discriminator: { propertyName: keywords['x-tag'], mapping },
  }
}

function toVariant(writer: Writer, variant: TSchema, name: string): string {
  let component = writer.variants.get(variant)
  if (component === undefined) {
    const base = pascalCase(name)
    component = base
    for (let i = 2; Object.hasOwn(writer.schemas, component); i++) component = `${base}${i}`
    // Reserves the name before the variant is written, because the variant may contain a union of the same name.
    writer.schemas[component] = {}
    writer.variants.set(variant, component)
    writer.schemas[component] = toSchema(writer, variant, name)
  }
  return `#/components/schemas/${component}`
}

const pascalCase = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Argilla-Api-Key' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  session: { type: 'apiKey', in: 'cookie', name: 'postil_session' },
}

const object = (properties: { [key: string]: OpenApiSchema }): OpenApiSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const TEXT: OpenApiSchema = { type: 'string' }

const PROBLEM = object({
  type: { ...TEXT, description: 'What kind of problem, such as `missing` or `string_too_long`.' },
  loc: { type: 'array', items: { type: ['string', 'integer'] }, description: 'The way to the culprit.' },
  msg: TEXT,
})

const coded = (name: string, params: OpenApiSchema) =>
  object({ detail: object({ code: { type: 'string', const: `argilla.api.errors::${name}` }, params }) })

const ERROR_SCHEMAS: { [name: string]: OpenApiSchema } = {
  PlainError: object({ detail: TEXT }),
  ConflictError: object({ detail: TEXT, code: { type: 'string', const: 'conflict' } }),
  WrongUserError: object({ detail: TEXT, code: { type: 'string', const: 'wrong_user' } }),
  FullReadNeededError: object({
    detail: TEXT,
    code: { type: 'string', enum: ['changes_pruned', 'changes_restored'] },
    first: { type: ['integer', 'null'], description: 'The oldest entry of the log that is kept.' },
    head: { type: 'integer', description: 'Go on after this entry when the whole dataset is read.' },
  }),
  CodeMessageError: object({ code: TEXT, message: TEXT }),
  UnauthorizedError: coded('UnauthorizedError', object({ detail: TEXT })),
  ForbiddenOperationError: coded('ForbiddenOperationError', object({ detail: TEXT })),
  ValidationError: coded('ValidationError', object({ errors: { type: 'array', items: PROBLEM } })),
  GenericServerError: coded('GenericServerError', object({ type: TEXT, message: TEXT })),
}

function errorResponse(description: string, ...names: string[]): OpenApiResponse {
  const variants = names.map(name => ({ $ref: `#/components/schemas/${name}` }))
  const [only = {}] = variants
  return { description, content: { 'application/json': { schema: variants.length === 1 ? only : { anyOf: variants } } } }
}

const ERROR_RESPONSES: { [name: string]: OpenApiResponse } = {
  Unauthorized: errorResponse('Credentials are missing or not accepted', 'UnauthorizedError', 'PlainError'),
  Forbidden: errorResponse('The role or the workspaces of the user do not allow it', 'ForbiddenOperationError'),
  NotFound: errorResponse('There is nothing with this id', 'PlainError'),
  Unprocessable: errorResponse('The shape or a rule is not kept', 'ValidationError', 'PlainError', 'CodeMessageError'),
  OtherError: errorResponse(
    'A conflict, a request that names another user, one that is too large or cannot be read, entries of the change log that are gone, too many requests, or a failure of the server',
    'PlainError',
    'ConflictError',
    'WrongUserError',
    'FullReadNeededError',
    'GenericServerError',
  ),
}
