import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import type { Notice } from '../events/emit.ts'
import { type Bus, openBus } from './bus.ts'
import { addNews, type BusNews, emptyNews, packNews, unpackNews } from './bus-messages.ts'
import { describeOnPostgres } from './testing/on-postgres.ts'

const changed = (user_id: string): Notice => ({
  name: 'response-changed',
  dataset_id: 'd1',
  user_id,
  data: { record_id: 'r1', status: 'draft', updated_at: '' },
})

const unpackAll = (payloads: readonly string[]) => {
  const news = emptyNews()
  for (const payload of payloads) addNews(news, unpackNews(payload))
  return news
}

describe('payloads', () => {
  test('say all that is to be told', () => {
    const news: BusNews = {
      heads: new Map([['d1', 7]]),
      notices: [changed('ann')],
      hasJobs: true,
      hasWebhooks: true,
      isLost: false,
    }
    expect(unpackAll(packNews(news))).toEqual(news)
  })

  test('are each smaller than PostgreSQL allows, also with letters of several bytes', () => {
    const news = { ...emptyNews(), notices: Array.from({ length: 200 }, () => changed('ä€😀'.repeat(20))) }
    const payloads = packNews(news)
    expect(payloads.length).toBeGreaterThan(1)
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
    expect(unpackAll(payloads).notices).toEqual(news.notices)
  })

  test.each([
    ['more than is worth sending', { ...emptyNews(), notices: Array.from({ length: 2_000 }, () => changed('ann')) }],
    ['one thing that does not fit', { ...emptyNews(), notices: [changed('x'.repeat(9_000))] }],
  ])('of %s say to look', (_, news) => {
    expect(unpackAll(packNews(news))).toEqual({ ...emptyNews(), isLost: true })
  })

  test.each(['', 'hello', '{}', '[["from-a-newer-release"]]'])('that cannot be read say to look: %s', payload => {
    expect(unpackNews(payload).isLost).toBe(true)
  })
})

describeOnPostgres('processes', ({ url, db }) => {
  const open: Bus[] = []
  afterEach(async () => {
    for (const bus of open.splice(0)) await bus.close()
  })
  const openHere = async (role: 'server' | 'worker' = 'server') => {
    const heard: BusNews[] = []
    const bus = openBus({ url: url(), role, log: pino({ level: 'silent' }) })
    bus.listen(news => void heard.push(news))
    open.push(bus)
    await bus.ready
    return { bus, heard }
  }
  const headsOf = (heard: readonly BusNews[]) => heard.flatMap(({ heads }) => [...heads])

  test('hear what others tell, and not themselves', async () => {
    const [one, two, three] = [await openHere(), await openHere(), await openHere('worker')]
    one.bus.send({ heads: new Map([['d1', 1]]) })
    one.bus.send({ heads: new Map([['d1', 2]]), hasJobs: true })
    await expect.poll(() => headsOf(two.heard)).toEqual([['d1', 2]])
    await expect.poll(() => headsOf(three.heard)).toEqual([['d1', 2]])
    expect(two.heard[0]?.hasJobs).toBe(true)
    await setTimeout(50)
    expect(one.heard).toEqual([])
  })

  test('are counted, servers apart from workers', async () => {
    const [one, worker] = [await openHere(), await openHere('worker')]
    const two = await openHere()
    expect([one.bus.processes(), two.bus.processes(), worker.bus.processes()]).toEqual([1, 2, 1])
  })

  test('that lose their connection connect again and are told that anything may have happened, and so are the others', async () => {
    const [one, two] = [await openHere('server'), await openHere('worker')]
    await db().sql.run(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'postil server bus'`,
    )
    await expect.poll(() => one.heard.some(({ isLost }) => isLost)).toBe(true)
    await expect.poll(() => two.heard.some(({ isLost }) => isLost)).toBe(true)
    one.bus.send({ heads: new Map([['d1', 9]]) })
    await expect.poll(() => headsOf(two.heard)).toEqual([['d1', 9]])
    two.bus.send({ heads: new Map([['d1', 10]]) })
    await expect.poll(() => headsOf(one.heard)).toEqual([['d1', 10]])
  })

  test('say what they still have to say when they close', async () => {
    const [one, two] = [await openHere(), await openHere()]
    one.bus.send({ hasJobs: true })
    await one.bus.close()
    await expect.poll(() => two.heard.some(({ hasJobs }) => hasJobs)).toBe(true)
  })

  test('start without the database, and find it later', async () => {
    const bus = openBus({ url: url().replace(/:\d+\//, ':1/'), role: 'server', log: pino({ level: 'silent' }) })
    open.push(bus)
    await bus.ready
    bus.send({ hasJobs: true })
    expect(bus.processes()).toBe(1)
  })
})
