/** Several lists one after the other in the same queue: late responses for earlier criteria are ignored. */
import type { DatasetRecord } from '@postil/domain/records'
import { describe, expect, test } from 'vitest'
import { openRecordQueue, type QueuePage } from './record-queue.ts'

interface Asked {
  list: string
  offset: number
  answer(): Promise<void>
  fail(): Promise<void>
}

/** Lets all pending promises settle. */
const turn = () => new Promise<void>(resolve => setTimeout(resolve))

/** Fake server that responds when the test tells it to, from the list that was current at the time of the request. */
function open(counts: Record<string, number>) {
  const asked: Asked[] = []
  const problems: unknown[] = []
  let list = Object.keys(counts)[0] ?? ''
  /** Number of records of a list that can be read. */
  let most = Number.POSITIVE_INFINITY
  const pageOf = (name: string, offset: number, limit: number): QueuePage => {
    const length = Math.min(counts[name] ?? 0, most)
    const ids = Array.from({ length }, (_, i) => `${name}${i}`).slice(offset, offset + limit)
    const items = ids.map(id => ({ record: { id } as DatasetRecord, score: null, highlights: null, response: null }))
    return { items, size: items.length, total: counts[name] ?? 0 }
  }
  const fetchPage = (offset: number, limit: number) =>
    new Promise<QueuePage>((resolve, reject) => {
      const from = list
      const then = (act: () => void) => () => {
        act()
        return turn()
      }
      asked.push({
        ...{ list, offset },
        answer: then(() => resolve(pageOf(from, offset, limit))),
        fail: then(() => reject(new Error(`${from} at ${offset}`))),
      })
    })
  const queue = openRecordQueue(
    fetchPage,
    error => problems.push(error),
    () => 0,
  )
  return {
    ...{ queue, asked, problems },
    want: (name: string) => {
      list = name
    },
    cut: (count: number) => {
      most = count
    },
    /** Removes and returns a pending request. */
    take: (name: string, offset: number): Asked => {
      const at = asked.findIndex(one => one.list === name && one.offset === offset)
      const [found] = at < 0 ? [] : asked.splice(at, 1)
      if (!found) throw new Error(`${name} at ${offset} was not asked for`)
      return found
    },
    id: () => queue.current.value?.record.id ?? null,
    ids: () => queue.items.value.map(({ record }) => record.id),
  }
}
type Setup = ReturnType<typeof open>

const names = (list: string, from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${list}${from + i}`)

/** Loads the list at a position. The requests of `fill` are still pending. */
async function begin(setup: Setup, list: string, position: number): Promise<void> {
  setup.want(list)
  const loading = setup.queue.load(position)
  await setup.take(list, Math.max(0, position - 5)).answer()
  await loading
  setup.queue.fill()
}

/** Loads the list in the middle, with a pending request on each side. */
async function beginInTheMiddle(setup: Setup): Promise<{ ahead: Asked; behind: Asked }> {
  await begin(setup, 'a', 100)
  for (let i = 0; i < 8; i++) setup.queue.move(1)
  return { ahead: setup.take('a', 120), behind: setup.take('a', 75) }
}

describe('a page of the earlier list', () => {
  test.each(['ahead', 'behind'] as const)('%s is not used when the new list is there', async side => {
    const setup = open({ a: 300, b: 3 })
    const pages = await beginInTheMiddle(setup)
    await begin(setup, 'b', 0)
    await pages[side].answer()
    expect([setup.ids(), setup.queue.index.value, setup.queue.position.value]).toEqual([names('b', 0, 3), 0, 1])
  })

  test.each(['ahead', 'behind'] as const)('%s is not used while the new list is on its way', async side => {
    const setup = open({ a: 300, b: 3 })
    const pages = await beginInTheMiddle(setup)
    setup.want('b')
    const loading = setup.queue.load(0)
    await pages[side].answer()
    expect(setup.ids()).toEqual(names('a', 95, 125))
    await setup.take('b', 0).answer()
    await loading
    expect(setup.ids()).toEqual(names('b', 0, 3))
  })

  test.each(['ahead', 'behind'] as const)('%s that fails is not a problem of the new list', async side => {
    const setup = open({ a: 300, b: 3 })
    const pages = await beginInTheMiddle(setup)
    await begin(setup, 'b', 0)
    await pages[side].fail()
    expect(setup.problems).toEqual([])
  })
})

describe('filling', () => {
  test('of the new list does not wait for a page of the earlier one', async () => {
    const setup = open({ a: 300, b: 300 })
    await beginInTheMiddle(setup)
    await begin(setup, 'b', 0)
    for (let i = 0; i < 10; i++) setup.queue.move(1)
    await setup.take('b', 25).answer()
    expect(setup.ids()).toEqual(names('b', 0, 60))
  })

  test('is over only when the page of the new list is there', async () => {
    const setup = open({ a: 300, b: 300 })
    const { ahead } = await beginInTheMiddle(setup)
    await begin(setup, 'b', 0)
    for (let i = 0; i < 10; i++) setup.queue.move(1)
    await ahead.answer()
    expect(setup.queue.isFilling.value).toBe(true)
    await setup.take('b', 25).answer()
    expect(setup.queue.isFilling.value).toBe(false)
  })

  test('ends immediately if enough records are ahead or the list is at its end', async () => {
    const setup = open({ a: 300, b: 0 })
    await begin(setup, 'a', 0)
    expect(setup.queue.isFilling.value).toBe(false)
    await begin(setup, 'b', 0)
    expect(setup.queue.isFilling.value).toBe(false)
  })

  test('waits while a list is loading, because positions of the current list are not valid in it', async () => {
    const setup = open({ a: 300, b: 300 })
    await begin(setup, 'a', 0)
    setup.want('b')
    const loading = setup.queue.load(0)
    for (let i = 0; i < 15; i++) setup.queue.move(1)
    expect(setup.asked.map(({ list, offset }) => [list, offset])).toEqual([['b', 0]])
    await setup.take('b', 0).answer()
    await loading
    expect([setup.ids(), setup.id()]).toEqual([names('b', 0, 30), 'b0'])
  })

  test('ends at the end of an offline copy, and reports it once', async () => {
    const setup = open({ a: 300 })
    await begin(setup, 'a', 0)
    setup.cut(30)
    for (let i = 0; i < 10; i++) setup.queue.move(1)
    await setup.take('a', 25).answer()
    await setup.take('a', 30).fail()
    expect([setup.asked, setup.problems, setup.ids()]).toEqual([[], [new Error('a at 30')], names('a', 0, 30)])
  })

  test('behind is discarded if the adjacent records were dropped in the meantime', async () => {
    const setup = open({ a: 300 })
    await begin(setup, 'a', 100)
    for (let i = 0; i < 2; i++) {
      while (setup.queue.move(1));
      await setup.take('a', 120 + i * 30).answer()
    }
    for (let i = 0; i < 5; i++) setup.queue.move(1)
    await setup.take('a', 75).answer()
    const ids = setup.ids()
    const first = Number(ids[0]?.slice(1))
    expect(ids).toEqual(names('a', first, first + ids.length))
    expect(setup.queue.position.value).toBe(Number(setup.id()?.slice(1)) + 1)
  })
})

describe('two lists at the same time', () => {
  test.each([
    { order: ['b', 'c'], why: 'in the order of the requests' },
    { order: ['c', 'b'], why: 'the other way round' },
  ])('the last one wins when they arrive $why', async ({ order }) => {
    const setup = open({ b: 4, c: 2 })
    const loads = ['b', 'c'].map(name => {
      setup.want(name)
      return setup.queue.load(0)
    })
    for (const name of order) await setup.take(name, 0).answer()
    await Promise.all(loads)
    expect([setup.ids(), setup.queue.total.value]).toEqual([names('c', 0, 2), 2])
  })

  test('the failure of the earlier one is ignored', async () => {
    const setup = open({ b: 4, c: 2 })
    const first = setup.queue.load(0)
    setup.want('c')
    const second = setup.queue.load(0)
    await setup.take('b', 0).fail()
    await setup.take('c', 0).answer()
    await expect(Promise.all([first, second])).resolves.toBeDefined()
    expect(setup.ids()).toEqual(names('c', 0, 2))
  })

  test('the earlier one does not look for its end', async () => {
    const setup = open({ b: 4, c: 2 })
    const first = setup.queue.load(50)
    setup.want('c')
    const second = setup.queue.load(0)
    await setup.take('b', 45).answer()
    expect(setup.asked.map(({ list, offset }) => [list, offset])).toEqual([['c', 0]])
    await setup.take('c', 0).answer()
    await Promise.all([first, second])
  })
})

describe('a list that could not be loaded', () => {
  async function failToLoad(setup: Setup): Promise<void> {
    await begin(setup, 'a', 0)
    setup.want('b')
    const loading = setup.queue.load(40).catch((error: Error) => error.message)
    await setup.take('b', 35).fail()
    expect(await loading).toBe('b at 35')
    expect(setup.queue.isFilling.value).toBe(false)
  }

  test('is requested again instead of being joined to the current one', async () => {
    const setup = open({ a: 300, b: 300 })
    await failToLoad(setup)
    setup.queue.fill()
    await setup.take('b', 35).answer()
    expect([setup.ids(), setup.id()]).toEqual([names('b', 35, 65), 'b40'])
    expect(setup.problems).toEqual([])
  })

  test('is requested at the current record if the user has moved on in the meantime', async () => {
    const setup = open({ a: 300 })
    await begin(setup, 'a', 0)
    const loading = setup.queue.load(200).catch(() => null)
    await setup.take('a', 195).fail()
    await loading
    for (let i = 0; i < 9; i++) setup.queue.move(1)
    await setup.take('a', 0).answer()
    expect(setup.id()).toBe('a1')
  })

  test('that fails again is reported', async () => {
    const setup = open({ a: 300, b: 300 })
    await failToLoad(setup)
    setup.queue.fill()
    await setup.take('b', 35).fail()
    expect(setup.problems).toEqual([new Error('b at 35')])
  })
})

test('loads records before a walk from the middle, and does not wait for an empty list', async () => {
  const counts = { a: 300 }
  const setup = open(counts)
  await begin(setup, 'a', 299)
  await setup.take('a', 274).answer()
  counts.a = 0
  while (setup.queue.move(1, true));
  await setup.take('a', 0).answer()
  await setup.queue.settled()
  expect([setup.id(), setup.queue.isFilling.value]).toEqual([null, false])
})
