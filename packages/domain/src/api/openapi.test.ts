import { describe, expect, test } from 'vitest'
import { Bool, Dictionary, Id, Int, Items, List, Nullable, Optional, Shape, Tagged, Text, Words } from '../schema.ts'
import { streamMyDatasetEvents } from './events.ts'
import { toOpenApi } from './openapi.ts'
import { type Route, route } from './route.ts'
import { getShareCard } from './share.ts'

const Settings = Tagged('type', {
  rating: Shape({ type: Words(['rating']), options: List(Int(), { minItems: 2 }) }, { 'x-check': () => null }),
  text: Shape({ type: Words(['text']), use_markdown: Bool({ default: false }) }),
})
const Question = Shape({ id: Id, settings: Settings })

const routes = [
  route({
    id: 'createQuestion',
    method: 'POST',
    path: '/api/v1/datasets/:dataset_id/questions',
    tag: 'questions',
    summary: 'Create a question',
    status: 201,
    otherStatuses: [200],
    runs: 'writer',
    params: Shape({ dataset_id: Id }),
    body: Shape({ name: Text(1, 200), settings: Settings, extra: Optional(Nullable(Dictionary(Text()))) }),
    response: Question,
  }),
  route({
    id: 'listQuestions',
    method: 'GET',
    path: '/api/v1/datasets/:dataset_id/questions',
    tag: 'questions',
    summary: 'List questions',
    status: 200,
    runs: 'reader',
    params: Shape({ dataset_id: Id }),
    query: Shape({ limit: Int({ default: 50 }), q: Text(), include: Optional(List(Text())) }),
    response: Items(Question),
  }),
  route({
    id: 'createToken',
    method: 'POST',
    path: '/api/v1/token',
    tag: 'authentication',
    summary: 'Sign in',
    status: 201,
    auth: false,
    bodyType: 'form',
    refusals: [401],
    runs: 'here',
    body: Shape({ username: Text(), password: Text() }),
    response: Shape({ access_token: Text() }),
  }),
  route({
    id: 'deleteFile',
    method: 'DELETE',
    path: '/api/v1/files/:name',
    tag: 'files',
    summary: 'Delete a file',
    status: 204,
    runs: 'writer',
  }),
] as Route[]

const document = toOpenApi(routes, { title: 'Postil', version: '1' })
const operation = (method: string, path: string) => document.paths[path]?.[method]

describe('the API description', () => {
  test('has an operation with id, summary and tag for each route', () => {
    expect(Object.keys(document.paths)).toEqual([
      '/api/v1/datasets/{dataset_id}/questions',
      '/api/v1/token',
      '/api/v1/files/{name}',
    ])
    const created = operation('post', '/api/v1/datasets/{dataset_id}/questions')
    expect(created).toMatchObject({ operationId: 'createQuestion', summary: 'Create a question', tags: ['questions'] })
    expect(document.tags).toEqual([{ name: 'questions' }, { name: 'authentication' }, { name: 'files' }])
  })

  test('lists parameters of path and query', () => {
    expect(operation('get', '/api/v1/datasets/{dataset_id}/questions')?.parameters).toEqual([
      { name: 'dataset_id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 50 } },
      { name: 'q', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'include', in: 'query', required: false, schema: { type: 'array', items: { type: 'string' } } },
    ])
    expect(operation('delete', '/api/v1/files/{name}')?.parameters).toEqual([
      { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
    ])
  })

  test('tells the statuses that can occur', () => {
    const statuses = (method: string, path: string) => Object.keys(operation(method, path)?.responses ?? {})
    expect(statuses('post', '/api/v1/datasets/{dataset_id}/questions')).toEqual([
      ...['200', '201', '401', '403', '404', '422', 'default'],
    ])
    expect(statuses('post', '/api/v1/token')).toEqual(['201', '401', '422', 'default'])
    expect(operation('delete', '/api/v1/files/{name}')?.responses[204]).toEqual({ description: 'Success' })
  })

  test('a form is a form and an open route needs no credentials', () => {
    const token = operation('post', '/api/v1/token')
    expect(Object.keys(token?.requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded'])
    expect(token?.security).toEqual([])
    expect(operation('delete', '/api/v1/files/{name}')?.security).toEqual([{ apiKey: [] }, { bearer: [] }, { session: [] }])
  })

  test('a stream is text of its own kind', () => {
    const streamed = toOpenApi([streamMyDatasetEvents], { title: 'Streams', version: '1' })
    const { responses } = streamed.paths['/api/v1/me/datasets/{dataset_id}/events']?.get ?? {}
    expect(responses?.[200]).toEqual({
      description: 'Success',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    })
  })

  test('a picture is text of its own kind', () => {
    const { paths } = toOpenApi([getShareCard], { title: 'Pictures', version: '1' })
    const content = { 'image/svg+xml': { schema: { type: 'string' } } }
    expect(paths['/api/v1/share-card']?.get?.responses[200]).toEqual({ description: 'Success', content })
  })

  test('a tagged union is a discriminator over components, written once', () => {
    const body = operation('post', '/api/v1/datasets/{dataset_id}/questions')?.requestBody?.content['application/json']?.schema
    const mapping = { rating: '#/components/schemas/SettingsRating', text: '#/components/schemas/SettingsText' }
    expect(body).toEqual({
      type: 'object',
      required: ['name', 'settings'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 200 },
        settings: {
          oneOf: [{ $ref: mapping.rating }, { $ref: mapping.text }],
          discriminator: { propertyName: 'type', mapping },
        },
        extra: { anyOf: [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'null' }] },
      },
    })
    expect(document.components.schemas.SettingsText).toMatchObject({ required: ['type'] })
    expect(Object.keys(document.components.schemas).filter(name => name.startsWith('Settings'))).toHaveLength(2)
  })

  test('is plain JSON, and everything it points at is there', () => {
    const text = JSON.stringify(document)
    expect(JSON.parse(text)).toEqual(document)
    expect(text).not.toContain('x-check')
    for (const [, kind = '', name = ''] of text.matchAll(/#\/components\/(\w+)\/(\w+)/g)) {
      expect(Object.keys(document.components[kind as 'schemas' | 'responses'])).toContain(name)
    }
  })
})
