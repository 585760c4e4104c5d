/** Tests how searches share the work on an index, by the requests that an engine receives. */
import { afterEach, expect, test } from 'vitest'
import { deleteRecords } from '../../features/records/delete.ts'
import { openTestContext } from '../../testing/context.ts'
import { addRecords, createTestDataset, readCorpus, toQuery } from '../corpus.contract.ts'
import { loadWithSettings } from '../source/testing/dataset.ts'
import { toFlavour } from './flavour.ts'
import { readWork } from './read-work.ts'
import { toSettingsStamp } from './settings-stamp.ts'
import type { IndexState } from './states.ts'
import { openFakeEngine, type ReceivedRequest } from './testing/fake-engine.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const OPENSEARCH = toFlavour('opensearch', '2.19.1')
const WORD = { fields: { reply: 'word' } }
const NO_HITS = { hits: { total: { value: 0 }, hits: [] }, _shards: { total: 1 } }
const isBulk = ({ path }: ReceivedRequest) => path.includes('/_bulk')
const isState = ({ path }: ReceivedRequest) => path.includes('.states/_doc/')

/** Starts an engine with one state, which is replaced only with a matching version, and an index that accepts all requests. */
async function open(changes: Partial<IndexState & { holder: string }> = {}) {
  let stored = { index: 'i', change_no: 0, change_at: null, settings: '', fill: null, refused: [], holder: null, ...changes }
  let seqNo = 1
  const engine = await openFakeEngine(asked => {
    if (asked.path === '/') return { body: { version: { number: '2.19.1', distribution: 'opensearch' } } }
    if (isBulk(asked)) return { body: { errors: false, items: [] } }
    if (asked.path.includes('/_search')) return { body: NO_HITS }
    if (isState(asked) && asked.method === 'PUT') {
      if (!asked.path.includes(`if_seq_no=${seqNo}&`)) return { status: 409, body: { error: 'conflict' } }
      stored = JSON.parse(asked.body)
      return { body: { _seq_no: ++seqNo, _primary_term: 1 } }
    }
    return { body: { _id: 'd', found: true, _seq_no: seqNo, _primary_term: 1, _source: stored } }
  })
  const ctx = await openTestContext({
    SERVICE_SEARCH_ENGINE: 'opensearch',
    SERVICE_ELASTICSEARCH: engine.config.url,
    SERVICE_SEARCH_WAIT_SECONDS: '1',
  })
  closers.push(engine.close, ctx.close)
  const followed = await createTestDataset(ctx)
  const { dataset, settings } = await loadWithSettings(ctx.db, followed.datasetId)
  stored = { ...stored, change_no: dataset.change_no, settings: toSettingsStamp(settings, OPENSEARCH) }
  const searchTogether = async (count = 5) => {
    const corpus = await readCorpus(followed)
    await Promise.all(Array.from({ length: count }, () => ctx.search.search(corpus.searched, toQuery(corpus, {}))))
  }
  const search = () => searchTogether(1)
  const setSettings = (given: string) => {
    stored = { ...stored, settings: given }
  }
  return { engine, ctx, followed, search, searchTogether, getStored: () => stored, setSettings, moveState: () => seqNo++ }
}

const headOf = async ({ ctx, followed }: Awaited<ReturnType<typeof open>>) =>
  (await loadWithSettings(ctx.db, followed.datasetId)).dataset.change_no

test('searches after a write share one bulk request that refreshes, and the state is saved afterwards', async () => {
  const opened = await open()
  const { engine, followed, searchTogether, getStored } = opened
  await addRecords(followed, [WORD])
  await searchTogether()
  expect(engine.asked.filter(isBulk)).toHaveLength(1)
  const first = await headOf(opened)
  await expect.poll(() => getStored().change_no, { timeout: 10_000 }).toBe(first)
  engine.asked.length = 0
  await addRecords(followed, [WORD, WORD])
  await searchTogether()
  const bulks = engine.asked.filter(isBulk)
  expect(bulks).toHaveLength(1)
  expect(bulks[0]?.path).toContain('refresh=true')
  expect(bulks[0]?.body.trim().split('\n')).toHaveLength(4)
  expect(engine.asked.filter(({ path }) => path.endsWith('/_refresh'))).toEqual([])
  const head = await headOf(opened)
  await expect.poll(() => getStored().change_no, { timeout: 10_000 }).toBe(head)
})

test('a state that somebody else has changed is read again, and nothing is missed', async () => {
  const opened = await open()
  const { engine, followed, search, getStored, moveState } = opened
  await addRecords(followed, [WORD])
  await search()
  moveState()
  await expect.poll(() => engine.asked.filter(asked => isState(asked) && asked.method === 'PUT').length).toBe(1)
  expect(getStored().change_no).toBeLessThan(await headOf(opened))
  await addRecords(followed, [WORD])
  const head = await headOf(opened)
  const searchAgain = async () => {
    await search()
    return getStored().change_no
  }
  await expect.poll(searchAgain, { timeout: 10_000 }).toBe(head)
})

test('while another process holds the lease, a search writes what it needs and leaves the state alone', async () => {
  const { engine, followed, search } = await open({ holder: 'other' })
  await addRecords(followed, [WORD])
  await search()
  expect(engine.asked.filter(isBulk)).toHaveLength(1)
  await search()
  expect(engine.asked.filter(({ method }) => method === 'PUT')).toEqual([])
})

test('a search that waits in vain says how far the index is behind', async () => {
  const refused = [{ record_id: 'r', reason: 'x' }]
  const opened = await open({ holder: 'other', refused })
  const { followed, search, getStored } = opened
  const before = getStored().change_no
  await addRecords(followed, [WORD])
  const lag = (await headOf(opened)) - before
  await expect(search()).rejects.toMatchObject({
    code: 'unavailable',
    message: `The search index of this dataset is ${lag} change${lag === 1 ? '' : 's'} behind; the search waited 1 second for it. Try again in a moment.`,
  })
})

test('records that are still to be filled in are not written for the log, except if they were deleted', async () => {
  const { ctx, followed, getStored } = await open()
  await addRecords(followed, [WORD, WORD, WORD])
  const { documents, ids } = await readCorpus(followed)
  const nos = [...ids.keys()].sort((a, b) => a - b)
  const last = documents.find(({ id }) => id === ids.get(nos[2] as number))
  await deleteRecords(followed.owner, followed.datasetId, last?.id ?? '')
  const listNos = async (fill: IndexState['fill']) => {
    const work = await readWork(ctx.db, { datasetId: followed.datasetId, flavour: OPENSEARCH }, { ...getStored(), fill })
    return work.kind === 'records' ? work.log?.recordNos : work.kind
  }
  expect(await listNos({ after: nos[0] as number, ids: null })).toEqual([nos[0], nos[2]])
  expect(await listNos({ after: nos[0] as number, ids: ['x'] })).toEqual(nos)
  expect(await listNos(null)).toEqual(nos)
})

test('an index in the format of an earlier version is neither searched nor grown: a new one is made', async () => {
  const { ctx, followed, getStored } = await open()
  const workOf = (settings: string, flavour = OPENSEARCH) =>
    readWork(ctx.db, { datasetId: followed.datasetId, flavour }, { ...getStored(), settings })
  const now = getStored().settings ?? ''
  const { format, ...earlier } = JSON.parse(now)
  expect(format).toMatch(/ innerproduct$/)
  expect((await workOf(now)).kind).toBe('done')
  expect((await workOf(JSON.stringify(earlier))).kind).toBe('new')
  expect((await workOf(now, toFlavour('opensearch', '2.12.0'))).kind).toBe('new')
})

test('a search with an index in the format of an earlier version replaces it first', async () => {
  const { engine, search, setSettings } = await open()
  setSettings('{}')
  await search()
  const listOf = (method: string) => engine.asked.filter(asked => asked.method === method).map(({ path }) => path)
  expect(listOf('DELETE')).toEqual(['/i'])
  expect(listOf('POST').filter(path => path.includes('/_search'))).toHaveLength(1)
  expect(listOf('POST').filter(path => path.startsWith('/i/_search'))).toEqual([])
})
