import { afterEach, expect, test } from 'vitest'
import type { ClusterName, ElasticConfig } from '../../search-settings.ts'
import { type EngineClient, openClient } from './client.ts'
import { EngineError, EngineUnavailable } from './errors.ts'
import { type FakeEngine, openFakeEngine, type Respond } from './testing/fake-engine.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function open(respond: Respond, config: Partial<ElasticConfig>): Promise<{ engine: FakeEngine; client: EngineClient }> {
  const engine = await openFakeEngine(respond, config)
  const client = openClient(engine.config)
  closers.push(client.close, engine.close)
  return { engine, client }
}

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('it was answered'),
    error => error,
  )

const GET = { method: 'GET', path: '/i/_doc/1' } as const

for (const name of ['elasticsearch', 'opensearch'] satisfies ClusterName[]) {
  test(`${name}: a request has its query, its body and the answer's body`, async () => {
    const { engine, client } = await open(() => ({ body: { found: true } }), { name })
    expect(await client.request({ method: 'POST', path: '/i/_search', query: { a: 1 }, body: { size: 3 } })).toEqual({
      found: true,
    })
    await client.request({ method: 'POST', path: '/i/_bulk', lines: '{"a":1}\n{"b":2}\n' })
    expect(engine.asked.map(({ path, body }) => [path, body])).toEqual([
      ['/i/_search?a=1', '{"size":3}'],
      ['/i/_bulk', '{"a":1}\n{"b":2}\n'],
    ])
  })

  test.each([429, 503, 502, 504])(`${name}: %i means that the same may work later`, async status => {
    const { client } = await open(() => ({ status, body: { error: { type: 'busy', reason: 'too much' } } }), { name })
    const error = await failure(client.request(GET))
    expect(error).toBeInstanceOf(EngineUnavailable)
    expect(error.message).toContain(`answers ${status}: too much`)
  })

  test(`${name}: other refusals have the engine's type and reason`, async () => {
    const body = {
      error: { type: 'outer', reason: 'x', root_cause: [{ type: 'index_not_found_exception', reason: 'no such index' }] },
    }
    const { client } = await open(() => ({ status: 404, body }), { name })
    const error = await failure(client.request(GET))
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({
      status: 404,
      type: 'index_not_found_exception',
      message: 'index_not_found_exception: no such index',
    })
  })

  test(`${name}: an engine that never answers is given up after the time-out`, async () => {
    const { client } = await open(() => null, { name, timeoutMs: 100 })
    expect(await failure(client.request(GET))).toBeInstanceOf(EngineUnavailable)
  })

  test(`${name}: nobody listens`, async () => {
    const { engine, client } = await open(() => ({ body: {} }), { name })
    await engine.close()
    expect(await failure(client.request(GET))).toBeInstanceOf(EngineUnavailable)
  })

  test(`${name}: credentials are sent, and are in no error`, async () => {
    for (const auth of [{ username: 'ann', password: 'secret-word' }, { apiKey: 'secret-word' }]) {
      const { engine, client } = await open(() => ({ status: 403, body: { error: 'Forbidden' } }), { name, auth })
      const error = await failure(client.request(GET))
      const given = 'apiKey' in auth ? 'ApiKey secret-word' : `Basic ${btoa('ann:secret-word')}`
      expect(engine.asked[0]?.headers.authorization).toBe(given)
      const told = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
      for (const word of ['secret-word', btoa('ann:secret-word')]) expect(told).not.toContain(word)
    }
  })
}
