import { DomainError, FullReadNeeded, ShapeError } from '@postil/domain/errors'
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { UnexpectedAnswerError } from './errors.ts'

const coded = (name: string, params: object) => ({ detail: { code: `argilla.api.errors::${name}`, params } })

/** Returns the error that a call throws for this response. */
function errorOf(status: number, body: object | string): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const client = createClient({ url: 'http://postil.test', fetch: async () => new Response(text, { status }) })
  // A POST, so that a 503 is not retried.
  return client.createWorkspace({ body: { name: 'w' } }).then(
    () => null,
    error => error,
  )
}

describe('an error is rebuilt as the server threw it', () => {
  test.each([
    { status: 401, body: coded('UnauthorizedError', { detail: 'no key' }), code: 'unauthenticated', message: 'no key' },
    {
      status: 401,
      body: { ...coded('UnauthorizedError', { detail: 'ask an owner' }), code: 'deactivated' },
      code: 'deactivated',
      message: 'ask an owner',
    },
    { status: 401, body: { detail: 'provider refused' }, code: 'unauthenticated', message: 'provider refused' },
    { status: 403, body: coded('ForbiddenOperationError', { detail: 'not you' }), code: 'forbidden', message: 'not you' },
    { status: 404, body: { detail: 'Dataset not found' }, code: 'not_found', message: 'Dataset not found' },
    { status: 409, body: { detail: 'name is taken' }, code: 'not_unique', message: 'name is taken' },
    { status: 409, body: { detail: 'changed since', code: 'conflict' }, code: 'conflict', message: 'changed since' },
    { status: 409, body: { detail: 'not you', code: 'wrong_user' }, code: 'wrong_user', message: 'not you' },
    { status: 413, body: { detail: 'body too large' }, code: 'too_large', message: 'body too large' },
    { status: 422, body: { detail: 'already published' }, code: 'unprocessable', message: 'already published' },
    { status: 422, body: { code: 'missing_vector', message: 'no vector' }, code: 'missing_vector', message: 'no vector' },
    { status: 422, body: { code: 'a_code_of_tomorrow', message: 'text' }, code: 'unprocessable', message: 'text' },
    { status: 422, body: { code: 'toString', message: 'text' }, code: 'unprocessable', message: 'text' },
    { status: 503, body: { detail: 'try again' }, code: 'unavailable', message: 'try again' },
  ])('$status $body -> $code', async ({ status, body, code, message }) => {
    const error = await errorOf(status, body)
    expect(error).toBeInstanceOf(DomainError)
    expect(error).toMatchObject({ code, message, at: [] })
  })

  test.each([
    { code: 'changes_pruned', first: 7 },
    { code: 'changes_restored', first: null },
  ])('410 $code says where the change feed goes on', async ({ code, first }) => {
    const error = await errorOf(410, { detail: 'read everything', code, first, head: 9 })
    expect(error).toBeInstanceOf(FullReadNeeded)
    expect(error).toMatchObject({ code, message: 'read everything', first, head: 9 })
  })

  test.each([
    { detail: 'at items.3.fields.text: too long', at: ['items', 3, 'fields', 'text'], message: 'too long' },
    { detail: 'at settings: one: two', at: ['settings'], message: 'one: two' },
    { detail: 'at fields.my field: line\nline', at: ['fields', 'my field'], message: 'line\nline' },
    { detail: 'at: nothing', at: [], message: 'at: nothing' },
    { detail: 'look at items.3: no', at: [], message: 'look at items.3: no' },
  ])('the place of `$detail` is $at', async ({ detail, at, message }) => {
    expect(await errorOf(422, { detail })).toMatchObject({ at, message })
  })

  test('every problem with the shape is kept', async () => {
    const errors = [
      { type: 'missing', loc: ['body', 'name'], msg: 'Field required' },
      { type: 'string_type', loc: ['body', 'items', 0], msg: 'Not a text' },
    ]
    const error = await errorOf(422, coded('ValidationError', { errors }))
    expect(error).toBeInstanceOf(ShapeError)
    expect(error).toMatchObject({ problems: errors })
  })
})

describe('an answer that the API does not give is unexpected', () => {
  test.each([
    { status: 500, body: coded('GenericServerError', { type: 'x', message: 'it failed' }), text: 'it failed' },
    { status: 400, body: coded('BadRequestError', { message: 'bad' }), text: 'bad' },
    { status: 405, body: { detail: 'Method Not Allowed' }, text: 'Method Not Allowed' },
    { status: 404, body: '<html>proxy</html>', text: '<html>proxy</html>' },
    { status: 404, body: { message: 'no route' }, text: '{"message":"no route"}' },
    { status: 422, body: '[1]', text: '[1]' },
    { status: 422, body: 'null', text: 'null' },
    { status: 422, body: coded('ValidationError', { errors: ['text'] }), text: expect.stringContaining('ValidationError') },
    { status: 503, body: '', text: '' },
    { status: 200, body: { id: '1' }, text: '{"id":"1"}' },
    { status: 201, body: '<html>a page</html>', text: '<html>a page</html>' },
    { status: 502, body: 'x'.repeat(1000), text: `${'x'.repeat(300)}…` },
  ])('$status $body', async ({ status, body, text }) => {
    const error = await errorOf(status, body)
    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(error).toMatchObject({ status, text })
  })

  test('a redirect is not followed: the API key would go along', async () => {
    const sent: RequestInit[] = []
    const client = createClient({
      url: 'http://postil.test',
      fetch: async (_, init) => {
        sent.push(init)
        return new Response('', { status: 308, headers: { location: 'https://postil.test/' } })
      },
    })
    await expect(client.getMe()).rejects.toMatchObject({ status: 308, text: 'it leads to https://postil.test/' })
    expect(sent).toMatchObject([{ redirect: 'manual' }])
  })
})
