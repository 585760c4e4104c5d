/** Records stored for offline work: which ones are available after a number of answers. */
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordResponse } from '@postil/domain/responses'
import { expect, test } from 'vitest'
import { openMemoryDatabase } from '../../../storage/testing/memory-database.ts'
import { KEPT_MAX, openKeptWindow } from './kept-window.ts'

const LIST = 'records:d:pending'
const item = (id: string) => ({ record: { id } as DatasetRecord, score: null, highlights: null, response: null })
const response = (record_id: string, status: RecordResponse['status']) =>
  ({ id: `a-${record_id}`, record_id, status, values: {}, updated_at: 'now' }) as unknown as RecordResponse

/** Fake server with a long list, a window over it, and the browser's storage, which outlives the window. */
function setUp(count = 200, database = openMemoryDatabase()) {
  let ids = Array.from({ length: count }, (_, i) => `r${i}`)
  const leaving = new Set<string>()
  const idle: (() => void)[] = []
  const kept = openKeptWindow({ database, isLeaving: id => leaving.has(id), whenIdle: run => idle.push(run) })
  const rest = async () => {
    for (const run of idle.splice(0)) run()
    await kept.settled()
  }
  return {
    database,
    kept,
    rest,
    leaving,
    fetch: (offset: number, limit: number, isFirst = false, key = LIST) =>
      kept.add(
        { key, offset, total: ids.length, items: ids.slice(offset, offset + limit).map(item), isKept: false },
        'pending',
        isFirst,
      ),
    submit: (id: string) => {
      ids = ids.filter(one => one !== id)
      leaving.delete(id)
      kept.note(id, response(id, 'submitted'))
    },
    /** As in another tab, or after a reload. */
    reload: () => openKeptWindow({ database, isLeaving: () => false, whenIdle: () => undefined }),
  }
}

const idsOf = (page: { items: { record: { id: string } }[] } | null) => page?.items.map(({ record }) => record.id) ?? null

test('after a hundred answers, the next records are there', async () => {
  const { kept, fetch, submit, rest, reload } = setUp()
  fetch(0, 30, true)
  let held = 30
  for (let i = 0; i < 100; i++) {
    submit(`r${i}`)
    if (--held > 20) continue
    // Fetches from the end of the loaded records, as the queue does.
    fetch(held, 30)
    held += 30
  }
  await rest()
  const found = await reload().find(LIST, 0, 30)
  expect(idsOf(found)?.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => `r${100 + i}`))
  expect(found?.total).toBe(100)
  expect(idsOf(await kept.find(LIST, 0, 30))).toEqual(idsOf(found))
})

test('records with unsent answers do not count, as in the queue', async () => {
  const { kept, fetch, leaving, rest } = setUp()
  fetch(0, 30, true)
  for (const id of ['r0', 'r1', 'r2']) leaving.add(id)
  // The three answers have not reached the server yet.
  fetch(27, 30)
  await rest()
  expect(idsOf(await kept.find(LIST, 0, 100))).toEqual(Array.from({ length: 54 }, (_, i) => `r${3 + i}`))
})

test('a page that was read before an answer arrived, and comes after it, does not bring the record back', async () => {
  const { kept, fetch, submit, rest } = setUp()
  fetch(0, 30, true)
  const late = () =>
    kept.add({ key: LIST, offset: 0, total: 200, items: ['r0', 'r1', 'r2'].map(item), isKept: false }, 'pending', false)
  submit('r0')
  late()
  await rest()
  expect(idsOf(await kept.find(LIST, 0, 2))).toEqual(['r1', 'r2'])
})

test('answers given while a page is loading leave no gap', async () => {
  const { kept, fetch, leaving, rest } = setUp()
  fetch(0, 30, true)
  // Requested after five answers, but received after nine.
  for (let i = 0; i < 9; i++) leaving.add(`r${i}`)
  fetch(25, 30)
  await rest()
  expect(idsOf(await kept.find(LIST, 0, 30))?.slice(0, 21)).toEqual(Array.from({ length: 21 }, (_, i) => `r${9 + i}`))
})

test('moving on without answering drops records far behind, and finds the position again', async () => {
  const { fetch, rest, reload } = setUp()
  for (let offset = 0; offset < 180; offset += 30) fetch(offset, 30, offset === 0)
  await rest()
  const found = await reload().find(LIST, 150, 30)
  expect(idsOf(found)?.[0]).toBe('r150')
  expect(idsOf(await reload().find(LIST, 0, 500))).toHaveLength(KEPT_MAX)
})

test('pages from behind are prepended', async () => {
  const { fetch, kept, rest } = setUp()
  fetch(60, 30, true)
  fetch(40, 20)
  await rest()
  expect(idsOf(await kept.find(LIST, 40, 30))?.[0]).toBe('r40')
  expect(idsOf(await kept.find(LIST, 60, 30))?.[0]).toBe('r60')
})

test('a jump starts a new window, and so does another visit', async () => {
  const { fetch, kept, rest } = setUp()
  fetch(0, 30, true)
  fetch(120, 30)
  await rest()
  expect(idsOf(await kept.find(LIST, 120, 5))).toEqual(['r120', 'r121', 'r122', 'r123', 'r124'])
  fetch(0, 10, true)
  await rest()
  expect(idsOf(await kept.find(LIST, 0, 100))).toHaveLength(10)
})

test('an answer that keeps a record in its queue is kept with it', async () => {
  const { kept, rest, reload } = setUp()
  kept.add({ key: 'drafts', offset: 0, total: 1, items: [item('r0')], isKept: false }, 'draft', true)
  kept.note('r0', response('r0', 'draft'))
  await rest()
  expect((await reload().find('drafts', 0, 10))?.items[0]?.response?.status).toBe('draft')
  kept.note('r0', null)
  await rest()
  expect(await reload().find('drafts', 0, 10)).toBeNull()
})

test('storage stays small: used pages and old lists are deleted', async () => {
  const { database, fetch, submit, rest, reload } = setUp()
  fetch(0, 30, true)
  for (let i = 0; i < 30; i++) submit(`r${i}`)
  fetch(0, 30)
  await rest()
  const pages = async () =>
    ((await database.all('copies')) ?? []).filter(entry => Array.isArray(entry) && typeof entry[0] === 'object')
  expect(await pages()).toHaveLength(1)
  for (let list = 0; list < 8; list++) {
    fetch(0, 30, true, `list-${list}`)
    await rest()
  }
  expect(await pages()).toHaveLength(4)
  expect(await reload().find(LIST, 0, 1)).toBeNull()
  expect(idsOf(await reload().find('list-7', 0, 1))).toEqual(['r30'])
})
