/** What the public routes cannot show: limits in number, and readers that do not read. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { streamMyDatasetEvents } from '@postil/domain/api/events'
import type { Actor } from '@postil/domain/permissions'
import fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import type { Notice } from '../events/emit.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { jsonReply } from './call.ts'
import { toErrorReply } from './errors.ts'
import { type LiveSource, openEventStreams } from './event-stream.ts'

const DATASET = '01930000-0000-7000-8000-000000000001'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server whose streams are told what the test says. `?user=` names the caller. */
async function openServer() {
  const ctx: TestContext = await openTestContext()
  const app = fastify()
  let listener: (batch: LiveBatch) => void = () => {}
  const watched: string[][] = []
  const live: LiveSource = {
    watch: ids => void watched.push(ids),
    listen: told => {
      listener = told
    },
  }
  const dispatch = async () => jsonReply(200, { looked: true })
  const streams = openEventStreams(app, dispatch, live)
  app.get('/', (request, reply) => {
    const { user = '' } = request.query as { user?: string }
    const actor: Actor = { id: user, username: user, role: 'annotator', workspace_ids: [] }
    const sender = { sessionHash: null } as never
    const call = { routeId: '', params: { dataset_id: DATASET }, search: '', contentType: null, body: null }
    try {
      return streams.open(reply, {
        contract: streamMyDatasetEvents,
        call: { ...call, actor, refusal: null, sender, requestId: '' },
        state: jsonReply(200, { first: true }),
        authenticate: async () => ({ actor, refusal: null }),
      })
    } catch (error) {
      return reply.code(toErrorReply(error, ctx.log, '').status).send()
    }
  })
  const url = await app.listen({ port: 0 })
  closing.push(() => app.close().then(() => ctx.close()))
  return { url, watched, tell: (batch: LiveBatch) => listener(batch) }
}

const notice = (size: number): Notice => ({
  name: 'comment',
  dataset_id: DATASET,
  user_id: null,
  data: { record_id: 'x'.repeat(size), comment_id: '', deleted: false },
})

test('the 201st stream of a server is refused', async () => {
  const { url } = await openServer()
  const statuses = await Promise.all(
    Array.from({ length: 201 }, async (_, index) => (await fetch(`${url}/?user=u${index % 50}`)).status),
  )
  expect(statuses.filter(status => status === 200)).toHaveLength(200)
  expect(statuses.filter(status => status === 503)).toHaveLength(1)
})

test('datasets are watched while somebody has them open', async () => {
  const { url, watched } = await openServer()
  const controllers = [new AbortController(), new AbortController()]
  for (const { signal } of controllers) await fetch(url, { signal })
  expect(watched).toEqual([[DATASET]])
  for (const controller of controllers) controller.abort()
  await expect.poll(() => watched).toEqual([[DATASET], []])
})

test('a reader that does not read is cut off, and others go on', async () => {
  const { url, watched, tell } = await openServer()
  const { hostname, port } = new URL(url)
  const lazy = connect(Number(port), hostname)
  await once(lazy, 'connect')
  lazy.write('GET /?user=lazy HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(lazy, 'readable')
  const reader = (await fetch(`${url}/?user=keen`)).body?.getReader()
  let received = 0
  const reading = (async () => {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return
      received += value?.byteLength ?? 0
    }
  })()

  const before = process.memoryUsage().arrayBuffers
  let sent = 0
  // Far more than a socket's own buffers hold.
  for (; sent < 32 * 1024 * 1024; sent += 32 * 1024) {
    tell({ changed: [], notices: [notice(32 * 1024)] })
    await setTimeout(1)
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * 1024 * 1024)
  await expect.poll(() => received).toBeGreaterThan(sent)
  expect(watched).toEqual([[DATASET]])

  const closed = once(lazy, 'close')
  lazy.on('error', () => {}).resume()
  await closed
  await reader?.cancel()
  await reading
  await expect.poll(() => watched).toEqual([[DATASET], []])
})
