import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Fetch } from './call.ts'
import { type ClientOptions, createClient } from './client.ts'
import { ConnectionError } from './errors.ts'

const ID = '0193a0b0-0000-7000-8000-000000000001'
const WORKSPACE = { id: ID, name: 'w', inserted_at: 'now', updated_at: 'now' }

/**
 * Returns a client that receives these responses in order, and the last one for all further calls; `sent` collects the requests.
 */
function clientOf(answers: (() => Response | Error)[], options: Partial<ClientOptions> = {}) {
  const sent: { url: string; init: RequestInit }[] = []
  const fetch: Fetch = async (url, init) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)]?.()
    sent.push({ url, init })
    if (answer instanceof Response) return answer
    throw answer
  }
  return { client: createClient({ url: 'http://postil.test', fetch, ...options }), sent }
}

const json =
  (body: object, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status })
const empty = () => new Response(null, { status: 204 })
const failed = (cause?: object) => () => new TypeError('fetch failed', { cause: Object.assign(new Error('cause'), cause) })
const refused = failed({ code: 'ECONNREFUSED' })
const broken = failed({ code: 'ECONNRESET' })
const overloaded = json({ detail: 'Too many requests' }, 503)

describe('a request', () => {
  test('has the path parameters and query of the contract, lists repeated', async () => {
    const { client, sent } = clientOf([json({ items: [], total: 0 })], { url: 'http://postil.test/base/' })
    const query = { offset: 0, include: ['responses', 'vectors:a,b'] }
    await client.listRecords({ params: { dataset_id: 'a/b?' }, query })
    expect(sent[0]?.url).toBe(
      'http://postil.test/base/api/v1/datasets/a%2Fb%3F/records?offset=0&include=responses&include=vectors%3Aa%2Cb',
    )
    expect(sent[0]?.init).toMatchObject({ method: 'GET', headers: { accept: 'application/json' } })
    expect(sent[0]?.init.body).toBeUndefined()
  })

  test('has a JSON body and the API key', async () => {
    const { client, sent } = clientOf([json(WORKSPACE, 201)], { apiKey: 'key' })
    expect(await client.createWorkspace({ body: { name: 'w' } })).toEqual(WORKSPACE)
    expect(sent[0]?.init.headers).toMatchObject({ 'content-type': 'application/json', 'x-argilla-api-key': 'key' })
    expect(sent[0]?.init.body).toBe('{"name":"w"}')
  })

  test('has a form where the contract says so, and no credentials where none are needed', async () => {
    const { client, sent } = clientOf([json({ access_token: 't', token_type: 'bearer' }, 201)], { apiKey: 'key', token: 'old' })
    await client.createToken({ body: { username: 'a&b', password: 'ü =' } })
    expect(sent[0]?.init.headers).toEqual({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
    expect(sent[0]?.init.body).toBe('username=a%26b&password=%C3%BC+%3D')
  })

  test('has the token of a client that signed in', async () => {
    const { client, sent } = clientOf([json({ id: ID })], { token: 't' })
    await client.getMe()
    expect(sent[0]?.init.headers).toMatchObject({ authorization: 'Bearer t' })
  })

  test('answers the text itself where the contract says that it is no JSON', async () => {
    const { client, sent } = clientOf([() => new Response('<svg/>')])
    expect(await client.getShareCard({ query: { card: 'a.b' } })).toBe('<svg/>')
    expect(sent[0]?.init.headers).toEqual({ accept: 'image/svg+xml' })
  })

  test('answers nothing for a contract without an answer', async () => {
    const { client } = clientOf([empty])
    expect(await client.deleteRecords({ params: { dataset_id: ID }, query: { ids: ID } })).toBeUndefined()
  })

  test.each(['', '.', '..'])('is refused with the path parameter `%s`', async dataset_id => {
    const { client, sent } = clientOf([json({})])
    await expect(client.deleteDataset({ params: { dataset_id } })).rejects.toThrow('`dataset_id`')
    expect(sent).toEqual([])
  })

  test.each([
    { url: 'localhost:6900', ok: false },
    { url: 'ftp://postil.test', ok: false },
    { url: 'HTTP://postil.test', ok: true },
    { url: '/base', ok: true },
    { url: '', ok: true },
  ])('url `$url` -> $ok', ({ url, ok }) => {
    const create = () => createClient({ url })
    if (ok) expect(create).not.toThrow()
    else expect(create).toThrow('http://')
  })
})

describe('a call is tried again', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const params = { workspace_id: ID }
  const calls = {
    GET: (options: Parameters<typeof clientOf>[0]) => run(options, client => client.getWorkspace({ params })),
    DELETE: (options: Parameters<typeof clientOf>[0]) => run(options, client => client.deleteWorkspace({ params })),
    PUT: (options: Parameters<typeof clientOf>[0]) =>
      run(options, client => client.publishDataset({ params: { dataset_id: ID } })),
    POST: (options: Parameters<typeof clientOf>[0]) => run(options, client => client.createWorkspace({ body: { name: 'w' } })),
    PATCH: (options: Parameters<typeof clientOf>[0]) =>
      run(options, client => client.updateUser({ params: { user_id: ID }, body: { first_name: 'n' } })),
  }

  async function run(answers: (() => Response | Error)[], work: (client: ReturnType<typeof createClient>) => Promise<unknown>) {
    const { client, sent } = clientOf(answers)
    const settled = work(client).then(
      answer => ({ answer, error: null }),
      error => ({ answer: null, error }),
    )
    await vi.runAllTimersAsync()
    return { ...(await settled), tries: sent.length }
  }

  test.each([
    { method: 'GET', first: overloaded, tries: 2 },
    { method: 'GET', first: broken, tries: 2 },
    { method: 'GET', first: refused, tries: 2 },
    { method: 'GET', first: () => new Response('proxy', { status: 503 }), tries: 2 },
    { method: 'GET', first: json({ detail: 'gone' }, 404), tries: 1 },
    { method: 'GET', first: () => new Response('', { status: 502 }), tries: 1 },
    { method: 'PUT', first: overloaded, tries: 2 },
    { method: 'PUT', first: broken, tries: 2 },
    { method: 'DELETE', first: overloaded, tries: 2 },
    { method: 'DELETE', first: broken, tries: 2 },
    { method: 'POST', first: refused, tries: 2 },
    { method: 'POST', first: failed({ code: 'ETIMEDOUT', syscall: 'connect' }), tries: 2 },
    { method: 'POST', first: failed({ code: 'ETIMEDOUT', syscall: 'read' }), tries: 1 },
    { method: 'POST', first: broken, tries: 1 },
    { method: 'POST', first: failed(), tries: 1 },
    { method: 'POST', first: overloaded, tries: 1 },
    { method: 'PATCH', first: refused, tries: 2 },
    { method: 'PATCH', first: broken, tries: 1 },
    { method: 'PATCH', first: overloaded, tries: 1 },
  ] as const)('$method, case %#: $tries tries', async ({ method, first, tries }) => {
    const success = method === 'POST' ? json(WORKSPACE, 201) : json(WORKSPACE)
    const outcome = await calls[method]([first, success])
    expect(outcome.tries).toBe(tries)
    expect(outcome.error === null).toBe(tries === 2)
  })

  test('four times at most, and then fails as the last try did', async () => {
    expect(await calls.GET([refused, overloaded])).toMatchObject({ tries: 5, error: { code: 'unavailable' } })
    expect(await calls.GET([refused])).toMatchObject({
      tries: 5,
      error: { name: 'ConnectionError', problem: 'refused', message: 'Cannot connect to http://postil.test: cause' },
    })
  })

  test('not after its signal ended it in a pause', async () => {
    const { client, sent } = clientOf([refused])
    const stop = new AbortController()
    const outcome = expect(client.getMe({}, { signal: stop.signal })).rejects.toThrow('enough')
    await vi.advanceTimersByTimeAsync(1)
    stop.abort(new Error('enough'))
    await outcome
    await vi.runAllTimersAsync()
    expect(sent.length).toBe(1)
  })
})

describe('a call that takes long', () => {
  /** Never responds, and rejects like fetch when its signal is aborted. */
  const silent: Fetch = (_, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

  test('fails after its time, and is not tried again', async () => {
    const fetch = vi.fn(silent)
    const client = createClient({ url: 'http://postil.test', fetch, timeoutMs: 20 })
    const error = await client.getMe().catch(error => error)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ problem: 'timeout', message: 'No answer from http://postil.test within 0.02 seconds' })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test('can be ended by the caller, with the caller’s reason', async () => {
    const client = createClient({ url: 'http://postil.test', fetch: silent })
    const stop = new AbortController()
    const call = client.getMe({}, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })
})

test('a server that is still starting is waited for, also with a POST', async () => {
  const listen = (server: Server, port: number) => once(server.listen(port, '127.0.0.1'), 'listening')
  const other = createServer()
  await listen(other, 0)
  const { port } = other.address() as AddressInfo
  await once(other.close(), 'close')

  const call = createClient({ url: `http://127.0.0.1:${port}` }).createWorkspace({ body: { name: 'w' } })
  const server = createServer((_, response) => response.writeHead(201).end(JSON.stringify(WORKSPACE)))
  await setTimeout(50)
  await listen(server, port)
  expect(await call).toEqual(WORKSPACE)
  server.close()
})
