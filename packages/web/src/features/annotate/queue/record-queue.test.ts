/** Window over a list that shrinks as records are answered, by the user and by others. */
import type { DatasetRecord } from '@postil/domain/records'
import { describe, expect, test } from 'vitest'
import { openRecordQueue, type QueuePage } from './record-queue.ts'

/**
 * The server's pending list. Finished records are missing from the next page on; records with unsent answers are filtered out of
 * a page.
 */
function openList(count: number) {
  let ids = Array.from({ length: count }, (_, i) => `r${i}`)
  let fetches = 0
  const unsent = new Set<string>()
  const fetchPage = async (offset: number, limit: number): Promise<QueuePage> => {
    fetches++
    // The server reads the list later than the request was sent.
    await Promise.resolve()
    const page = ids.slice(offset, offset + limit)
    const items = page
      .filter(id => !unsent.has(id))
      .map(id => ({ record: { id } as DatasetRecord, score: null, highlights: null, response: null }))
    return { items, size: page.length, total: ids.length }
  }
  return {
    fetchPage,
    unsent,
    finish: (id: string) => {
      ids = ids.filter(one => one !== id)
      unsent.delete(id)
    },
    fetches: () => fetches,
  }
}

function open(count: number) {
  const list = openList(count)
  const problems: unknown[] = []
  const queue = openRecordQueue(
    list.fetchPage,
    error => problems.push(error),
    () => list.unsent.size,
  )
  const id = () => queue.current.value?.record.id ?? null
  return { list, queue, problems, id }
}

/** Answers all records one by one; the writes arrive immediately or later. */
async function answerAll(setup: ReturnType<typeof open>, arrives: 'at once' | 'late'): Promise<string[]> {
  const { list, queue, id } = setup
  const seen: string[] = []
  const late: string[] = []
  for (let guard = 0; guard < 500; guard++) {
    await queue.settled()
    const now = id()
    if (now === null) break
    seen.push(now)
    queue.change(now, null, false)
    if (arrives === 'at once') list.finish(now)
    else {
      late.push(now)
      list.unsent.add(now)
    }
    if (late.length > 7) for (const one of late.splice(0, 5)) list.finish(one)
    queue.move(1, true)
  }
  return seen
}

describe('every record is shown once, in order', () => {
  test.each([
    [0, 'at once'],
    [1, 'at once'],
    [30, 'at once'],
    [31, 'at once'],
    [200, 'at once'],
    [200, 'late'],
  ] as const)('%i records, writes arrive %s', async (count, arrives) => {
    const setup = open(count)
    await setup.queue.load(0)
    expect(await answerAll(setup, arrives)).toEqual(Array.from({ length: count }, (_, i) => `r${i}`))
    expect(setup.problems).toEqual([])
  })
})

/** Answers without waiting for records: `atOnce` of them before the server handles the first request. */
async function answerQuickly({ list, queue, id }: ReturnType<typeof open>, atOnce: number): Promise<string[]> {
  const seen: string[] = []
  for (let now = id(); now !== null; now = id()) {
    seen.push(now)
    queue.change(now, null, false)
    list.finish(now)
    queue.move(1, true)
    if (seen.length % atOnce === 0 || id() === null) await queue.settled()
  }
  return seen
}

describe('no record is passed over when answers overtake a request for more', () => {
  test.each([1, 3, 5, 8, 13, 20])('%i at once', async atOnce => {
    const setup = open(200)
    await setup.queue.load(0)
    expect(await answerQuickly(setup, atOnce)).toEqual(Array.from({ length: 200 }, (_, i) => `r${i}`))
  })

  test('nor if records were skipped before', async () => {
    const setup = open(200)
    await setup.queue.load(0)
    for (let i = 0; i < 9; i++) {
      setup.queue.move(1)
      await setup.queue.settled()
    }
    // Skipped records come last.
    expect(await answerQuickly(setup, 13)).toEqual(Array.from({ length: 200 }, (_, i) => `r${(i + 9) % 200}`))
  })
})

test('twenty records are ahead however late answers arrive, at the cost of a request for each twenty', async () => {
  const { list, queue, id } = open(400)
  await queue.load(0)
  for (let i = 0; i < 300; i++) {
    const now = id() ?? ''
    expect(now).toBe(`r${i}`)
    queue.change(now, null, false)
    list.unsent.add(now)
    queue.move(1, true)
    await queue.settled()
    expect(queue.items.value.length - queue.index.value).toBeGreaterThan(20)
    const [first = ''] = list.unsent
    if (list.unsent.size > 45) list.finish(first)
  }
  expect(list.fetches()).toBeLessThan(300 / 15)
})

test('no record is missed while others finish records', async () => {
  const setup = open(100)
  await setup.queue.load(0)
  for (const id of ['r2', 'r3', 'r4', 'r5', 'r6']) {
    setup.list.finish(id)
    setup.queue.remove(id)
  }
  const seen = await answerAll(setup, 'at once')
  expect(new Set(seen)).toEqual(
    new Set(Array.from({ length: 100 }, (_, i) => `r${i}`).filter(id => !['r2', 'r3', 'r4', 'r5', 'r6'].includes(id))),
  )
})

test('a position in the middle has records on both sides, and steps keep them filled', async () => {
  const { queue, id } = open(300)
  await queue.load(150)
  expect([id(), queue.position.value, queue.serverPosition.value]).toEqual(['r150', 151, 150])
  queue.fill()
  await queue.settled()
  for (let i = 0; i < 40; i++) {
    expect(queue.move(-1)).toBe(true)
    await queue.settled()
  }
  expect([id(), queue.position.value]).toEqual(['r110', 111])
})

test('a position near the end keeps its number while the rest is loaded', async () => {
  const { queue, id } = open(30)
  await queue.load(26)
  queue.fill()
  await queue.settled()
  expect([id(), queue.position.value, queue.items.value.map(({ record }) => record.id)]).toEqual([
    'r26',
    27,
    Array.from({ length: 29 }, (_, i) => `r${i + 1}`),
  ])
})

test('after the last record of a walk from the middle come those before it', async () => {
  const setup = open(60)
  await setup.queue.load(50)
  const seen = await answerAll(setup, 'at once')
  expect(seen.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, i) => `r${i + 50}`))
  expect(new Set(seen).size).toBe(60)
})

test('past the end it opens at the last record', async () => {
  const { queue, id } = open(12)
  await queue.load(500)
  expect(id()).toBe('r11')
})

test('answered records can be reached again, and a reload uses the server’s position', async () => {
  const { queue, id, list } = open(50)
  await queue.load(0)
  for (const one of ['r0', 'r1', 'r2']) {
    queue.change(one, null, false)
    list.finish(one)
    queue.move(1, true)
  }
  expect([id(), queue.position.value, queue.serverPosition.value]).toEqual(['r3', 4, 0])
  queue.move(-1)
  expect(id()).toBe('r2')
})

test('a skipped record comes last', async () => {
  const setup = open(5)
  await setup.queue.load(0)
  setup.queue.skip()
  expect(await answerAll(setup, 'at once')).toEqual(['r1', 'r2', 'r3', 'r4', 'r0'])
})

test('a refused record is the next, and the one in hand stays', async () => {
  const { queue, id } = open(10)
  await queue.load(0)
  queue.change('r0', null, false)
  queue.move(1, true)
  queue.move(1, true)
  queue.bringBack('r0')
  expect(id()).toBe('r2')
  queue.move(1)
  expect(id()).toBe('r0')
  queue.move(1)
  expect(id()).toBe('r3')
})

test('the window stays small over many records', async () => {
  const setup = open(400)
  await setup.queue.load(0)
  await answerAll(setup, 'at once')
  expect(setup.queue.items.value.length).toBeLessThan(100)
})

test('a deleted record is replaced by the next one, the last by the skipped ones', async () => {
  const { queue, id } = open(3)
  await queue.load(0)
  queue.skip()
  queue.drop()
  expect([id(), queue.total.value, queue.position.value]).toEqual(['r2', 2, 1])
  queue.drop()
  expect(id()).toBe('r0')
})
