/** Errors that callers get while the engine is unavailable. Writes continue to work. */
import { RetryLater } from '@postil/domain/errors'
import { afterEach, expect, test } from 'vitest'
import { openTestContext } from '../../testing/context.ts'
import { addRecords, createTestDataset, readCorpus, runCounts, runQuery, toQuery } from '../corpus.contract.ts'
import { type FakeEngine, openFakeEngine, type Respond } from './testing/fake-engine.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const VERSION = { body: { version: { number: '2.19.1', distribution: 'opensearch' } } }

async function open(respond: Respond) {
  const engine: FakeEngine = await openFakeEngine(respond)
  const ctx = await openTestContext({
    SERVICE_SEARCH_ENGINE: 'opensearch',
    SERVICE_ELASTICSEARCH: engine.config.url,
    SERVICE_ELASTICSEARCH_TIMEOUT: '1',
    SERVICE_SEARCH_WAIT_SECONDS: '1',
  })
  closers.push(engine.close, ctx.close)
  const followed = await createTestDataset(ctx)
  await addRecords(followed, [{ fields: { reply: 'word' } }])
  const corpus = await readCorpus(followed)
  expect(corpus.documents).toHaveLength(1)
  const search = () => runQuery(corpus, toQuery(corpus, {})).catch((error: unknown) => error)
  return { engine, ctx, corpus, search }
}

const CANNOT_BE_REACHED =
  'The search engine cannot be reached at the moment. Records are stored all the same. Try again in a moment.'

test.each<[string, Respond, string]>([
  ['does not answer', () => null, CANNOT_BE_REACHED],
  ['is overloaded', () => ({ status: 429, body: { error: 'Too many' } }), CANNOT_BE_REACHED],
  ['is not ready', asked => (asked.path === '/' ? VERSION : { status: 503, body: { error: 'No master' } }), CANNOT_BE_REACHED],
  [
    'refuses our credentials',
    () => ({ status: 401, body: { error: 'Unauthorized' } }),
    'The search engine refuses the credentials of this server. Its operator must mend that.',
  ],
  [
    'refuses the index',
    asked => {
      if (asked.path === '/') return VERSION
      if (asked.method === 'GET') return { status: 404, body: {} }
      return { status: 400, body: { error: { type: 'illegal_argument_exception', reason: 'too many fields' } } }
    },
    'The search engine refuses to index this dataset; the log of the server says why.',
  ],
])('an engine that %s: 503 with one sentence', async (_name, respond, sentence) => {
  const { search } = await open(respond)
  const error = await search()
  expect(error).toBeInstanceOf(RetryLater)
  expect(error).toMatchObject({ code: 'unavailable', message: sentence })
})

test('nobody listens: 503, and `status` says so without failing', async () => {
  const { engine, ctx, corpus, search } = await open(() => VERSION)
  await engine.close()
  expect(await search()).toMatchObject({ code: 'unavailable', message: CANNOT_BE_REACHED })
  const counts = { text: null, filters: [], userId: corpus.users[0], queue: null, queues: [], targets: [] }
  await expect(runCounts(corpus, counts)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await ctx.search.info()).toEqual({ engine: 'opensearch', status: 'unavailable', reason: 'does not answer' })
})

test('an index that another process works on for longer than a search waits: 503', async () => {
  const state = {
    index: 'i',
    change_no: 1,
    change_at: null,
    settings: '{}',
    fill: { after: 0, ids: null },
    refused: [],
    holder: 'x',
  }
  let seqNo = 0
  const { search } = await open(asked => {
    if (asked.path === '/') return VERSION
    // Simulates a holder that keeps renewing its lease.
    return { body: { _id: 'd', found: true, _seq_no: seqNo++, _primary_term: 1, _source: state } }
  })
  expect(await search()).toMatchObject({
    code: 'unavailable',
    message: 'The search index of this dataset is still being built; the search waited 1 second for it. Try again in a moment.',
  })
})
