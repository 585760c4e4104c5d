/** Tests of the server's threads on a real database, with calls as HTTP makes them. */
import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CONTRACTS } from '@postil/domain/api/all'
import type { Route } from '@postil/domain/api/route'
import { parseTextQuery } from '@postil/domain/search/text-query'
import { PLAIN_QUERY } from '@postil/domain/testing/plain-search'
import SqliteDatabase from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../context.ts'
import { ROUTES } from '../features/all.ts'
import { type Call, continueCall, type Reply } from '../http/call.ts'
import { createRunCall } from '../http/run-call.ts'
import { openContext } from '../open-context.ts'
import { StoredTexts } from '../search/embedded/testing/stored-texts.ts'
import { DATASET_NO } from '../storage/dataset-numbers.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../testing/context.ts'
import { openPool, type Pool } from './pool.ts'
import type { ThreadDied } from './thread.ts'

const LOG_BYTES_MAX = 4 * 1024 * 1024

let seed: TestContext
let main: ReturnType<typeof openContext>
let pool: Pool
let owner: RequestContext
let workspaceId: string
let deaths: ThreadDied[]

beforeEach(async () => {
  seed = await openTestContext({ SERVICE_READER_THREADS: '1' })
  owner = await actAs(seed, 'owner')
  workspaceId = await addWorkspace(seed)
  const { config, secrets } = seed
  deaths = []
  main = openContext({ config, secrets, readonly: true, cacheMb: 4 })
  pool = openPool(main, createRunCall(ROUTES), { onFailure: error => deaths.push(error), logBytesMax: LOG_BYTES_MAX })
  await pool.ready
  // As in a server, only the writer has a writable connection.
  await seed.db.close()
})

async function closeAll(): Promise<void> {
  await pool.closeReaders()
  await main.db.close()
  await pool.closeWriter()
}

afterEach(async () => {
  await closeAll()
  await seed.close()
})

const encoder = new TextEncoder()
/** `body` is JSON text or a value. */
function toCall(routeId: string, params: Record<string, string>, body?: unknown, search = ''): Call {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { actor, sender } = owner
  return {
    routeId,
    params,
    search,
    contentType: null,
    body: body === undefined ? null : new Uint8Array(encoder.encode(text)),
    actor,
    refusal: null,
    sender,
    requestId: 'test',
  }
}

const contractOf = (routeId: string): Route => {
  const contract = CONTRACTS.find(({ id }) => id === routeId)
  if (!contract) throw new Error(`no contract ${routeId}`)
  return contract
}

const ask = (routeId: string, ...given: [params: Record<string, string>, body?: unknown, search?: string]): Promise<Reply> =>
  pool.dispatch(contractOf(routeId), toCall(routeId, ...given))

const read = (reply: Reply) => JSON.parse(new TextDecoder().decode(reply.body ?? undefined))

async function addDataset(name = 'd'): Promise<{ dataset_id: string }> {
  const made = async (reply: Promise<Reply>) => {
    const answered = await reply
    expect([answered.status, answered.status < 300 ? '' : read(answered)]).toEqual([answered.status, ''])
    return answered
  }
  const { id } = read(await made(ask('createDataset', {}, { name, workspace_id: workspaceId })))
  const params = { dataset_id: id as string }
  await made(ask('createField', params, { name: 'text', title: 'T', required: true, settings: { type: 'text' } }))
  const settings = { type: 'rating', options: [{ value: 1 }, { value: 2 }] }
  await made(ask('createQuestion', params, { name: 'q', title: 'Q', required: true, settings }))
  await made(ask('publishDataset', params))
  return params
}

const records = (count: number, text: string) => ({
  items: Array.from({ length: count }, (_, i) => ({ fields: { text: `${text} ${i}` } })),
})

const logBytes = () => statSync(`${seed.config.databaseFile}-wal`, { throwIfNoEntry: false })?.size ?? 0

describe('large bodies', () => {
  test('one without fault is stored, with its numbers as they were sent', async () => {
    const params = await addDataset()
    const body = records(400, 'word '.repeat(60))
    expect(JSON.stringify(body).length).toBeGreaterThan(100_000)
    const reply = await ask('createRecordsBulk', params, body)
    expect([reply.status, read(reply).items.length]).toEqual([201, 400])
  })

  test('one is stored although its caller is gone: what was sent is done', async () => {
    const params = await addDataset()
    const call = toCall('upsertRecordsBulk', params, records(400, 'word '.repeat(60)))
    const reply = await pool.dispatch(contractOf('upsertRecordsBulk'), call, () => true)
    expect([reply.status, read(reply).items.length]).toEqual([200, 400])
  })

  test('all are stored while the settings of their dataset change', async () => {
    const params = await addDataset()
    const bulks = Array.from({ length: 8 }, (_, i) =>
      ask('createRecordsBulk', params, records(200, `${i} ${'word '.repeat(80)}`)),
    )
    let isOver = false
    const changes = (async () => {
      for (let i = 0; !isOver; i++) await ask('updateDataset', params, { allow_extra_metadata: i % 2 === 0 })
    })()
    const replies = await Promise.all(bulks)
    isOver = true
    await changes
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(read(await ask('getDatasetProgress', params)).total).toBe(8 * 200)
  })

  test('one with a fault is answered while the writer is busy', async () => {
    const params = await addDataset()
    // Larger than what the writer would parse itself, and much less work than the writes.
    const junk = `{"items":[${'1e22,'.repeat(20_000)}1e400]}`
    // The thread that checks bodies has to be there, or its start would take longer than the writes.
    await ask('createRecordsBulk', params, junk)
    const order: string[] = []
    // Small enough to go directly to the writer.
    const busy = Array.from({ length: 100 }, () =>
      ask('createRecordsBulk', params, records(100, 'word '.repeat(60))).then(() => order.push('write')),
    )
    const reply = ask('createRecordsBulk', params, junk).then(answered => {
      order.push('junk')
      return read(answered).detail.params.errors[0]
    })
    expect(await reply).toMatchObject({ type: 'value_error', loc: ['body', 'items', 20_000] })
    await Promise.all(busy)
    expect(order.at(-1)).toBe('write')
  })
})

describe('a search that ends with a write', () => {
  test('asks the writer with what it found, also when the caller is gone before it has its turn', async () => {
    const params = await addDataset()
    await ask('createRecordsBulk', params, records(500, 'some text'))
    const action = { type: 'respond', status: 'draft', values: { q: { value: 1 } } }
    const call = toCall('createBulkJob', params, { query: {}, action, expected_total: 500 })
    const gone = () => true
    await expect(pool.dispatch(contractOf('searchRecords'), toCall('searchRecords', params, {}), gone)).rejects.toThrow('closed')
    const { next } = await pool.dispatch(contractOf('createBulkJob'), call, gone)
    if (!next) throw new Error('nothing to go on with')
    const started = await pool.dispatch(next.route, continueCall(call, next))
    expect([started.status, read(started).total]).toEqual([202, 500])
  })
})

describe('the write-ahead log', () => {
  test('stays small while reads overlap and records are written', async () => {
    const params = await addDataset()
    await ask('createRecordsBulk', params, records(500, 'word '.repeat(100)))
    let isOver = false
    let most = 0
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        expect((await ask('listRecords', params, undefined, 'limit=500')).status).toBe(200)
        expect((await ask('searchRecords', params, { query: { text: { q: 'word' } } })).status).toBe(200)
      }
    })
    for (let i = 0; i < 60; i++) {
      expect((await ask('createRecordsBulk', params, records(300, 'word '.repeat(100)))).status).toBe(201)
      most = Math.max(most, logBytes())
    }
    isOver = true
    await Promise.all(readers)
    // Tolerance for growth between two polls of the log on a slow machine.
    expect(most).toBeLessThan(6 * LOG_BYTES_MAX)
    await expect.poll(logBytes).toBeLessThanOrEqual(LOG_BYTES_MAX)
  })

  test('stays small, a job ends and segments are merged while reads, bulks and responses never pause', async () => {
    const [params, deleted] = [await addDataset(), await addDataset('deleted')]
    for (const given of [params, deleted]) {
      for (let i = 0; i < 4; i++) expect((await ask('createRecordsBulk', given, records(500, 'some text'))).status).toBe(201)
    }
    const { items } = read(await ask('listRecords', params, undefined, 'limit=500')) as { items: { id: string }[] }
    // Uses the same SQLite library as the server: another library in the same process would not see its locks, and would reset
    // the index of the write-ahead log.
    const file = new SqliteDatabase(seed.config.databaseFile, { readonly: true })
    const count = (text: string, { dataset_id }: { dataset_id: string }) => Number(file.prepare(text).pluck().get(dataset_id))
    const countRecords = `select count(*) as rows from records where dataset_no = ${DATASET_NO}`
    const countSegments = 'select count(*) as rows from text_segments where dataset_id = ?'
    expect((await ask('deleteDataset', deleted)).status).toBe(200)

    let isOver = false
    const repeat = async (work: (index: number) => Promise<void>) => {
      for (let index = 0; !isOver; index++) await work(index)
    }
    let most = 0
    let bulks = 0
    const answer = { status: 'submitted', values: { q: { value: 1 } } }
    const clients = [
      ...Array.from({ length: 2 }, () =>
        repeat(async () => {
          expect((await ask('createRecordsBulk', params, records(300, 'word '.repeat(50)))).status).toBe(201)
          bulks++
          most = Math.max(most, logBytes())
          // Fewer segments than bulk writes means that some were merged. Without turns for jobs and merges, this loop would never
          // end.
          isOver = count(countRecords, deleted) === 0 && count(countSegments, params) < bulks
        }),
      ),
      ...Array.from({ length: 2 }, () =>
        repeat(async () => expect((await ask('searchRecords', params, { query: { text: { q: 'word' } } })).status).toBe(200)),
      ),
      repeat(async index => {
        const item = { record_id: items[index % items.length]?.id, ...answer }
        expect((await ask('upsertMyResponsesBulk', {}, { items: [item] })).status).toBe(200)
      }),
    ]
    await Promise.all(clients)
    file.close()
    expect(most).toBeLessThan(6 * LOG_BYTES_MAX)
  })

  test('is folded into the file at a clean stop: the file alone holds all records', async () => {
    const params = await addDataset()
    for (let i = 0; i < 2; i++) await ask('createRecordsBulk', params, records(500, 'some text'))
    await closeAll()
    const { databaseFile, homePath } = seed.config
    expect(existsSync(`${databaseFile}-wal`)).toBe(false)
    const copy = join(homePath, 'copy.db')
    copyFileSync(databaseFile, copy)
    const opened = new SqliteDatabase(copy)
    expect(opened.prepare('select count(*) as count from records').get()).toEqual({ count: 1000 })
    opened.close()
  })
})

describe('text segments', () => {
  /** Second writable connection, as another process would have. */
  let beside: ReturnType<typeof openContext>
  beforeEach(() => {
    const { config, secrets } = seed
    beside = openContext({ config, secrets, readonly: false, cacheMb: 4 })
  })
  afterEach(() => beside.db.close())

  test('are merged in the background after records were written, and hold the texts of the records that exist', async () => {
    const texts = await StoredTexts.open(beside)
    const document = (recordNo: number, text: string) => ({ recordNo, pieces: [[`${text} ${recordNo % 7}`]] })
    for (let bulk = 1; bulk <= 20; bulk++) {
      await texts.put(Array.from({ length: 50 }, (_, i) => document(bulk * 50 + i, 'first')))
    }
    for (let edit = 0; edit < 100; edit++) await texts.put([document(50 + edit * 3, 'second')])
    for (let recordNo = 60; recordNo < 70; recordNo++) await texts.delete(recordNo)
    // Any write wakes the merger.
    await addDataset()
    await expect.poll(async () => (await texts.segmentNos()).length, { timeout: 60_000 }).toBeLessThan(20)

    await texts.put([document(51, 'third')])
    const index = await texts.openIndex(['body'])
    for (const word of ['first', 'second', 'third']) {
      const query = { ...PLAIN_QUERY, text: { tree: parseTextQuery(word), field: null } }
      const expected = [...texts.documents.values()].filter(({ pieces }) => pieces[0]?.[0]?.startsWith(word))
      expect(index.recordNosOf(index.matches(query))).toEqual(expected.map(({ recordNo }) => recordNo).toSorted((a, b) => a - b))
    }
    expect(deaths).toEqual([])
  })
})
