import { afterEach, expect, test } from 'vitest'
import { openClient } from './client.ts'
import { EngineUnavailable, IndexLost } from './errors.ts'
import { openFakeEngine, type ReceivedRequest, type Respond } from './testing/fake-engine.ts'
import { type DocumentWrite, writeDocuments } from './write-documents.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function run(respond: Respond, writes: readonly DocumentWrite[]) {
  const engine = await openFakeEngine(respond)
  const client = openClient(engine.config)
  closers.push(client.close, engine.close)
  const outcome = await writeDocuments(client, 'i', writes).then(
    refused => ({ refused, error: null }),
    (error: Error) => ({ refused: null, error }),
  )
  return { ...outcome, asked: engine.asked }
}

const put = (recordNo: number, json = `{"no":${recordNo}}`): DocumentWrite => ({
  recordNo,
  recordId: `id-${recordNo}`,
  json,
  version: 7,
})

/** Returns the actions and ids of a bulk request. */
const actionsOf = ({ body }: ReceivedRequest): string[] =>
  body
    .split('\n')
    .filter(line => line.includes('"_id"'))
    .map(line => Object.entries<{ _id: string }>(JSON.parse(line)).map(([action, { _id }]) => `${action} ${_id}`)[0] as string)

const DONE = { body: { errors: false, items: [] } }
const items = (...statuses: (number | [status: number, type: string])[]) => ({
  body: {
    errors: true,
    items: statuses.map(given => {
      const [status, type] = Array.isArray(given) ? given : [given, undefined]
      return { index: { status, ...(type && { error: { type, reason: `because of ${type}` } }) } }
    }),
  },
})

test('documents have their versions, and deletions too', async () => {
  const { refused, asked } = await run(() => DONE, [put(1), { recordNo: 2, recordId: null, json: null, version: 9 }])
  expect(refused).toEqual([])
  expect(asked[0]?.path).toMatch(/^\/i\.write\/_bulk\?require_alias=true/)
  expect(asked[0]?.body).toBe(
    '{"index":{"_id":"1","version":7,"version_type":"external_gte"}}\n{"no":1}\n{"delete":{"_id":"2","version":9,"version_type":"external_gte"}}\n',
  )
})

test('a newer version in the index, and a deletion of what is not there, are no failures', async () => {
  const { refused } = await run(() => items([409, 'version_conflict_engine_exception'], 404, 200), [put(1), put(2), put(3)])
  expect(refused).toEqual([])
})

test('only documents that an overloaded engine did not take are sent again', async () => {
  const respond: Respond = (_asked, count) =>
    count === 1 ? items(200, [429, 'busy'], [503, 'busy']) : count === 2 ? items(200, [429, 'busy']) : DONE
  const { refused, asked } = await run(respond, [put(1), put(2), put(3)])
  expect(refused).toEqual([])
  expect(asked.map(actionsOf)).toEqual([['index 1', 'index 2', 'index 3'], ['index 2', 'index 3'], ['index 3']])
})

test('a document that is refused for good is named, and its older version is deleted', async () => {
  const respond: Respond = (_asked, count) => (count === 1 ? items(200, [400, 'mapper_parsing_exception']) : DONE)
  const { refused, asked } = await run(respond, [put(1), put(2)])
  expect(refused).toEqual([{ record_id: 'id-2', reason: 'mapper_parsing_exception: because of mapper_parsing_exception' }])
  expect(asked.map(actionsOf)).toEqual([['index 1', 'index 2'], ['delete 2']])
})

test('an index that cannot be written, such as with a full disk, is a failure that lasts', async () => {
  const { error } = await run(() => items([403, 'cluster_block_exception']), [put(1)])
  expect(error).toBeInstanceOf(EngineUnavailable)
  expect(error?.message).toContain('because of cluster_block_exception')
}, 10_000)

test('an index that is gone is not made by writing to it', async () => {
  const body = { error: { type: 'index_not_found_exception', reason: 'no such index' } }
  expect((await run(() => ({ status: 404, body }), [put(1)])).error).toBeInstanceOf(IndexLost)
  expect((await run(() => items([404, 'index_not_found_exception']), [put(1)])).error).toBeInstanceOf(IndexLost)
})

test('requests are limited in bytes and in documents, and have at least one', async () => {
  const large = 'x'.repeat(3_000_000)
  const { asked } = await run(
    () => DONE,
    [put(1, `"${large}"`), put(2, `"${large}"`), ...Array.from({ length: 1_500 }, (_, i) => put(i + 3))],
  )
  expect(asked.map(request => actionsOf(request).length)).toEqual([1, 1_000, 501])
})

test('a request that is too large is halved, down to the document that is', async () => {
  const respond: Respond = ({ body }) => (body.includes('"_id":"3"') ? { status: 413, body: {} } : DONE)
  const { refused, asked } = await run(respond, [put(1), put(2), put(3), put(4)])
  expect(refused?.map(({ record_id }) => record_id)).toEqual(['id-3'])
  expect(asked.map(actionsOf).filter(actions => !actions.includes('index 3') && !actions.includes('delete 3'))).toEqual([
    ['index 1', 'index 2'],
    ['index 4'],
  ])
})
