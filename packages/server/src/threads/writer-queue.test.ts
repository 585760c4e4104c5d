/**
 * Tests of responses that share a commit: replies match the stored data even if SQLite rolls back the commit. Also tests that
 * background work gets its turns between calls.
 */
import { createResponse, upsertMyResponsesBulk } from '@postil/domain/api/responses'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { ROUTES } from '../features/all.ts'
import { deleteDataset } from '../features/datasets/delete.ts'
import { addPublished, addRecords, openTestTeam, type TestTeam } from '../features/datasets/testing/datasets.ts'
import type { Call, Reply } from '../http/call.ts'
import { createRunCall } from '../http/run-call.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'
import { mergeTexts } from '../search/embedded/merge-texts.ts'
import { StoredTexts } from '../search/embedded/testing/stored-texts.ts'
import { DATASET_NO } from '../storage/dataset-numbers.ts'
import { openSqlite, type SqliteHandle } from '../storage/sqlite.ts'
import { TEST_SENDER } from '../testing/context.ts'
import { openWriterQueue } from './writer-queue.ts'

let team: TestTeam
let recordIds: string[]
beforeEach(async () => {
  team = await openTestTeam({ SERVICE_DATABASE_SQLITE_TIMEOUT: '1' })
  const { id } = await addPublished(team)
  recordIds = (
    await addRecords(
      team.ctx,
      id,
      Array.from({ length: 12 }, () => null),
    )
  ).map(record => record.id)
  team.ctx.events.length = 0
})
afterEach(() => team.ctx.close())

const submitted = (size: number) => ({ status: 'submitted', values: { mood: { value: 'x'.repeat(size) } } })

function toCall(routeId: string, params: Record<string, string>, body: object): Call {
  const bytes = new Uint8Array(new TextEncoder().encode(JSON.stringify(body)))
  const sent = { params, search: '', contentType: 'application/json', body: bytes, sender: TEST_SENDER, requestId: 'test' }
  return { routeId, ...sent, actor: team.annotator.actor, refusal: null }
}

const create = (recordId: string, size: number) => toCall(createResponse.id, { record_id: recordId }, submitted(size))

/** Queues all calls together and returns their replies in the same order. */
async function runTogether(calls: readonly Call[], ctx: Context = team.ctx): Promise<Reply[]> {
  const replies = new Map<number, Reply>()
  const queue = openWriterQueue(ctx, createRunCall(ROUTES), (id, reply) => void replies.set(id, reply))
  for (const [id, call] of calls.entries()) queue.push({ id, urgent: true, call })
  await expect.poll(() => replies.size).toBe(calls.length)
  await queue.drained()
  return calls.map((_, id) => replies.get(id) as Reply)
}

const reopen = (readonly: boolean) =>
  openSqlite({ path: team.ctx.config.databaseFile, readonly, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1 })

/** Reads the stored responses through another connection. */
async function storedRecordIds(): Promise<Set<string>> {
  const file = reopen(true)
  const ids = await file.sql.column<string>('select r.id from responses p join records r on r.no = p.record_no')
  await file.close()
  return new Set(ids)
}

const countCreated = () => team.ctx.events.filter(event => event.name === 'response.created').length

/** Lets the file grow by at most this many pages of 4 KiB. */
function limitFile(pages: number): void {
  const { raw } = team.ctx.db as SqliteHandle
  const count = raw.pragma('page_count', { simple: true }) as number
  raw.pragma(`max_page_count = ${count + pages}`)
}

test.each([
  { pages: 2, why: 'the first does not fit' },
  { pages: 20, why: 'some fit' },
  { pages: 30, why: 'more fit' },
  { pages: 2_000, why: 'all fit' },
])('of responses in a file that may grow by $pages pages ($why), those answered as stored are stored', async ({ pages }) => {
  limitFile(pages)
  const replies = await runTogether(recordIds.map(id => create(id, 12_000)))
  const answered = recordIds.filter((_, index) => replies[index]?.status === 201)
  expect(await storedRecordIds()).toEqual(new Set(answered))
  expect(countCreated()).toBe(answered.length)
  expect(replies.filter(reply => reply.status !== 201).every(reply => reply.status >= 500)).toBe(true)
  if (pages === 2_000) expect(answered).toHaveLength(recordIds.length)
  if (pages > 2) expect(answered.length).toBeGreaterThan(0)
})

test('a small response is stored though a large one beside it does not fit', async () => {
  limitFile(10)
  const sizes = recordIds.map((_, index) => (index === 5 ? 200_000 : 10))
  const replies = await runTogether(recordIds.map((id, index) => create(id, sizes[index] ?? 0)))
  expect(replies.map(reply => reply.status < 300)).toEqual(sizes.map(size => size === 10))
  expect(await storedRecordIds()).toEqual(new Set(recordIds.filter((_, index) => index !== 5)))
  expect(countCreated()).toBe(recordIds.length - 1)
})

test('a list of responses that is answered with a server error leaves none of them', async () => {
  limitFile(10)
  const items = recordIds.map((record_id, index) => ({ record_id, ...submitted(index === 5 ? 200_000 : 10) }))
  const [reply] = await runTogether([toCall(upsertMyResponsesBulk.id, {}, { items })])
  expect(reply?.status).toBeGreaterThanOrEqual(500)
  expect([(await storedRecordIds()).size, countCreated()]).toEqual([0, 0])
})

test('a commit that fails is answered as such only to those who fail alone too', async () => {
  const { db } = team.ctx
  const { raw } = db as SqliteHandle
  // A deferred foreign key is checked when the transaction commits.
  raw.exec(`create table checked_late (id text references users (id) deferrable initially deferred);
    create trigger late after insert on responses when new."values" like '%yy%' begin
      insert into checked_late values ('nobody');
    end`)
  const calls = recordIds.map((id, index) => create(id, 10 + index))
  const bad = { status: 'submitted', values: { mood: { value: 'yy' } } }
  calls[3] = toCall(createResponse.id, { record_id: recordIds[3] as string }, bad)
  const replies = await runTogether(calls)
  expect(replies.map(reply => reply.status)).toEqual(recordIds.map((_, index) => (index === 3 ? 500 : 201)))
  expect(await storedRecordIds()).toEqual(new Set(recordIds.filter((_, index) => index !== 3)))
  expect(countCreated()).toBe(recordIds.length - 1)
})

test('while another process holds the file, all who wait are refused once, and nothing is stored', async () => {
  const other = reopen(false)
  other.raw.exec('begin immediate')
  const started = performance.now()
  const replies = await runTogether(recordIds.map(id => create(id, 10)))
  other.raw.exec('rollback')
  await other.close()
  expect(replies.every(reply => reply.status >= 500)).toBe(true)
  // The group waits a second for the lock once, not once per call.
  expect(performance.now() - started).toBeLessThan(8_000)
  expect([(await storedRecordIds()).size, countCreated()]).toEqual([0, 0])
})

describe('merged text segments', () => {
  const FIRST_NO = 1_000
  let texts: StoredTexts
  beforeEach(async () => {
    texts = await StoredTexts.open(team.ctx)
    for (let i = 0; i < 8; i++) await texts.put([{ recordNo: FIRST_NO + i, pieces: [['text']] }])
  })

  async function mergeNow(): Promise<TextMerge> {
    const replacement = await mergeTexts(team.ctx.db, texts.datasetId, async () => {})
    if (replacement === null) throw new Error('nothing to merge')
    return { datasetId: texts.datasetId, replacement }
  }

  test('are stored before the second of the bulks that wait, and after a response', async () => {
    const order: string[] = []
    const queue = openWriterQueue(team.ctx, createRunCall(ROUTES), id => void order.push(id > 2 ? 'bulk' : 'response'))
    const merge = await mergeNow()
    for (const id of [3, 4, 5]) queue.push({ id, urgent: false, call: create(recordIds[id] as string, 10) })
    const stored = queue.replace(merge).then(isReplaced => order.push(`merge ${isReplaced}`))
    queue.push({ id: 2, urgent: true, call: create(recordIds[1] as string, 10) })
    await stored
    await queue.drained()
    expect(order).toEqual(['response', 'bulk', 'merge true', 'bulk', 'bulk'])
    expect(await texts.segmentNos()).toEqual([8])
  })

  test('are stored also when the server stops', async () => {
    const queue = openWriterQueue(team.ctx, createRunCall(ROUTES), () => {})
    const merge = await mergeNow()
    const stored = queue.replace(merge)
    await queue.drained()
    expect([await stored, await texts.segmentNos()]).toEqual([true, [8]])
  })

  test('that others have merged meanwhile change nothing', async () => {
    const queue = openWriterQueue(team.ctx, createRunCall(ROUTES), () => {})
    const merge = await mergeNow()
    expect([await queue.replace(merge), await queue.replace(merge)]).toEqual([true, false])
    await queue.drained()
    expect(await texts.segmentNos()).toEqual([8])
  })

  test('that cannot be stored are refused, and the queue goes on', async () => {
    const replies: number[] = []
    const queue = openWriterQueue(team.ctx, createRunCall(ROUTES), (_id, { status }) => void replies.push(status))
    const merge = await mergeNow()
    const other = reopen(false)
    other.raw.exec('begin immediate')
    await expect(queue.replace(merge)).rejects.toThrow('locked')
    other.raw.exec('rollback')
    await other.close()
    queue.push({ id: 1, urgent: true, call: create(recordIds[0] as string, 10) })
    await expect.poll(() => replies).toEqual([201])
    expect(await queue.replace(merge)).toBe(true)
    await queue.drained()
  })
})

describe('while calls come without a pause', () => {
  const DELETED_RECORDS = 650
  let deletedId: string
  beforeEach(async () => {
    deletedId = (await addPublished(team)).id
    await addRecords(
      team.ctx,
      deletedId,
      Array.from({ length: DELETED_RECORDS }, () => null),
    )
    await deleteDataset(team.owner, deletedId)
  })

  const countDeleted = async () =>
    (await team.ctx.db.sql.column(`select no from records where dataset_no = ${DATASET_NO}`, [deletedId])).length

  let stop = async () => {}
  // Also after a failure: the clients would go on while other files are tested.
  afterEach(() => stop())

  /** Sends the next call after each reply, so that a call of each kind is always waiting. */
  function openClients(kinds: readonly ('urgent' | 'bulk')[]) {
    const replies: string[] = []
    let isOver = false
    let next = 0
    const queue = openWriterQueue(team.ctx, createRunCall(ROUTES), (id, { status }) => {
      const kind = kinds[id % kinds.length] as string
      replies.push(status < 300 ? kind : `${kind} ${status}`)
      if (!isOver) push(kind)
    })
    const push = (kind: string) => {
      const call = toCall(upsertMyResponsesBulk.id, {}, { items: [{ record_id: recordIds[next % 12], ...submitted(10) }] })
      next++
      queue.push({ id: kinds.indexOf(kind as 'bulk'), urgent: kind === 'urgent', call })
    }
    for (const kind of kinds) for (let i = 0; i < 2; i++) push(kind)
    stop = () => {
      isOver = true
      return queue.drained()
    }
    return { queue, replies }
  }

  test.each([{ kinds: ['bulk'] }, { kinds: ['urgent'] }, { kinds: ['urgent', 'bulk'] }] as const)(
    'of $kinds, a job and a merge are done, and no call waits for two of their pieces',
    async ({ kinds }) => {
      const { queue, replies } = openClients(kinds)
      const texts = await StoredTexts.open(team.ctx)
      for (let i = 0; i < 8; i++) await texts.put([{ recordNo: 5_000 + i, pieces: [['text']] }])
      const replacement = await mergeTexts(team.ctx.db, texts.datasetId, async () => {})
      if (replacement === null) throw new Error('nothing to merge')
      const stored = queue.replace({ datasetId: texts.datasetId, replacement })

      /** Number of replies by the number of records left. */
      const repliesAt = new Map<number, number>()
      while ((await countDeleted()) > 0) {
        const left = await countDeleted()
        if (!repliesAt.has(left)) repliesAt.set(left, replies.length)
        await new Promise(setImmediate)
      }
      expect(await stored).toBe(true)
      // A step deletes 200 records, and calls were answered between every two steps.
      expect([...repliesAt.keys()]).toEqual([650, 450, 250, 50])
      const counts = [...repliesAt.values()]
      for (const [index, count] of counts.entries()) if (index > 0) expect(count).toBeGreaterThan(counts[index - 1] as number)
      await stop()
      expect(new Set(replies)).toEqual(new Set(kinds))
    },
  )
})
