/** Tests what the public routes cannot show: limits on the number of streams, and readers that do not read. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Actor } from '@postil/domain/permissions'
import fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { openDatasetWatch } from '../events/dataset-watch.ts'
import type { Notice } from '../events/emit.ts'
import type { LiveSource } from '../events/live-source.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import { ROUTES } from '../features/all.ts'
import { addPublished, addRecords, openTestTeam } from '../features/datasets/testing/datasets.ts'
import { TEST_SENDER } from '../testing/context.ts'
import type { Dispatch } from './app.ts'
import { jsonReply } from './call.ts'
import { readCheckedBytes } from './checked-input.ts'
import { toErrorReply } from './errors.ts'
import { openEventStreams } from './event-stream.ts'
import { createRunCall } from './run-call.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/**
 * Opens a server whose event streams get the notices of the test. `?user=` names the caller, who is a member of the workspace.
 */
async function openServer() {
  const team = await openTestTeam()
  const { ctx, workspaceId } = team
  const { id: datasetId } = await addPublished(team)
  const app = fastify()
  let listener: (batch: LiveBatch) => void = () => {}
  const watched: string[][] = []
  const live: LiveSource = {
    watch: ids => void watched.push(ids),
    listen: told => {
      listener = told
    },
  }
  /** User ids of each computation, and whether the next ones fail. */
  const state = { computed: [] as string[][], fails: false, removed: new Set<string>() }
  const runCall = createRunCall(ROUTES)
  const dispatch: Dispatch = async (_route, call) => {
    if (!call.checked) throw new Error('progress is read through an inner call')
    const { user_ids } = readCheckedBytes(call.checked).body as { user_ids?: string[] }
    if (user_ids) state.computed.push(user_ids)
    return state.fails ? jsonReply(503, {}) : runCall(ctx, call)
  }
  const streams = openEventStreams(app, { ctx, dispatch, watch: openDatasetWatch({ ...ctx, live }) })
  const ids = new Map<string, string>()
  app.get('/', async (request, reply) => {
    const { user = '' } = request.query as { user?: string }
    const id = ids.get(user) ?? ctx.newId()
    ids.set(user, id)
    const actor: Actor = { id, username: user, role: 'annotator', workspace_ids: [workspaceId] }
    const call = { routeId: '', params: { dataset_id: datasetId }, search: '', contentType: null, body: null }
    try {
      return await streams.open(reply, {
        call: { ...call, actor, refusal: null, sender: TEST_SENDER, requestId: '' },
        state: jsonReply(200, { first: true }),
        authenticate: async () => ({ actor: state.removed.has(user) ? null : actor, refusal: null }),
      })
    } catch (error) {
      return reply.code(toErrorReply(error, ctx.log, '').status).send()
    }
  })
  const url = await app.listen({ port: 0 })
  closing.push(() => app.close().then(() => ctx.close()))
  let changeNo = 1_000
  const grown = () => new Map([[datasetId, ++changeNo]])
  return { url, datasetId, watched, state, team, grown, tell: (batch: LiveBatch) => listener(batch) }
}

const notice = (dataset_id: string, size: number): Notice => ({
  name: 'comment',
  dataset_id,
  user_id: null,
  data: { record_id: 'x'.repeat(size), comment_id: '', deleted: false },
})

test('the 1,001st stream of a server is refused', async () => {
  const { url } = await openServer()
  // Referenced until the end, because the garbage collector closes unreferenced responses.
  const responses = await Promise.all(Array.from({ length: 1_001 }, (_, index) => fetch(`${url}/?user=u${index % 250}`)))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1_000)
  expect(responses.filter(({ status }) => status === 503)).toHaveLength(1)
})

test('datasets are watched while somebody has them open', async () => {
  const { url, datasetId, watched } = await openServer()
  const controllers = [new AbortController(), new AbortController()]
  for (const { signal } of controllers) await fetch(url, { signal })
  expect(watched).toEqual([[datasetId]])
  for (const controller of controllers) controller.abort()
  await expect.poll(() => watched).toEqual([[datasetId], []])
})

/** Collects garbage, so that only memory in use is measured. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

test('a reader that does not read is cut off, and others go on', async () => {
  const { url, datasetId, watched, tell } = await openServer()
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

  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  let sent = 0
  // Far more than the socket buffers hold.
  for (; sent < 32 * 1024 * 1024; sent += 32 * 1024) {
    tell({ heads: new Map(), notices: [notice(datasetId, 32 * 1024)] })
    // Data that the reading client has not read yet counts as memory too.
    do await setTimeout(1)
    while (received < sent - 1024 * 1024)
  }
  // Another thread frees the memory of collected buffers, some time after the collection.
  await expect
    .poll(() => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers - before
    })
    .toBeLessThan(24 * 1024 * 1024)
  await expect.poll(() => received).toBeGreaterThan(sent)
  expect(watched).toEqual([[datasetId]])

  const closed = once(lazy, 'close')
  lazy.on('error', () => {}).resume()
  await closed
  await reader?.cancel()
  await reading
  await expect.poll(() => watched).toEqual([[datasetId], []])
})

/** Reads a stream; returns the text received so far, and whether it has ended. */
async function read(url: string, user: string) {
  const controller = new AbortController()
  const response = await fetch(`${url}/?user=${user}`, { signal: controller.signal })
  const received = { text: '', hasEnded: false }
  const reading = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) received.text += chunk
    received.hasEnded = true
  })().catch(() => {})
  closing.unshift(async () => {
    controller.abort()
    await reading
  })
  return received
}

const progressOf = ({ text }: { text: string }) =>
  [...text.matchAll(/^event: progress\ndata: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))

test('many streams cause one computation per change, for each of their users once', async () => {
  const { url, datasetId, grown, tell, state, team } = await openServer()
  const users = ['ann', 'ben', 'cid', 'ann', 'ben', 'ann', 'dan', 'eva', 'ann', 'cid']
  const streams = await Promise.all(users.map(user => read(url, user)))
  // The refresh that follows the first state.
  await expect.poll(() => streams.every(stream => progressOf(stream).length === 2)).toBe(true)
  for (let change = 1; change <= 3; change++) {
    const before = state.computed.length
    await addRecords(team.ctx, datasetId, [null])
    // Many batches within a second become one refresh.
    for (let i = 0; i < 20; i++) tell({ heads: grown(), notices: [] })
    const total = () => streams.map(stream => progressOf(stream).at(-1)?.progress?.total)
    await expect.poll(total).toEqual(users.map(() => change))
    // One more refresh may follow for a batch that arrived during the first, and one for a heartbeat.
    await setTimeout(1_500)
    const computed = state.computed.slice(before)
    expect(computed.length).toBeLessThanOrEqual(3)
    for (const ids of computed) expect([ids.length, new Set(ids).size]).toEqual([5, 5])
  }
  // No stream received a state twice.
  for (const stream of streams) expect(progressOf(stream)).toHaveLength(5)
})

test('a reader whose credentials are not accepted any more gets no notice, no progress, and the stream ends', async () => {
  const { url, datasetId, grown, tell, state } = await openServer()
  const [gone, stays] = [await read(url, 'gone'), await read(url, 'stays')]
  await expect.poll(() => progressOf(gone).length).toBe(2)
  state.removed.add('gone')
  tell({ heads: grown(), notices: [notice(datasetId, 1)] })
  await expect.poll(() => gone.hasEnded).toBe(true)
  await expect.poll(() => stays.text).toContain('event: comment')
  expect(gone.text).not.toContain('event: comment')
  expect([progressOf(gone).length, stays.hasEnded]).toEqual([2, false])
})

test('a computation that fails is tried again, with pauses that grow', async () => {
  const { url, datasetId, grown, tell, state, team } = await openServer()
  const stream = await read(url, 'ann')
  await expect.poll(() => progressOf(stream).length).toBe(2)
  state.fails = true
  const before = state.computed.length
  await addRecords(team.ctx, datasetId, [null])
  for (let i = 0; i < 50; i++) {
    tell({ heads: grown(), notices: [] })
    await setTimeout(100)
  }
  // Immediately, after 1 s and after 2 s more; once a second would be five or six.
  expect(state.computed.length - before).toBeLessThanOrEqual(4)
  expect(state.computed.length - before).toBeGreaterThan(1)
  state.fails = false
  await expect.poll(() => progressOf(stream).at(-1)?.progress?.total).toBe(1)
  expect(stream.hasEnded).toBe(false)
})
