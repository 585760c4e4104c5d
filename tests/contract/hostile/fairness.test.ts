/** One person with very much to do, and another who wants one thing: persons take turns. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aDataset, addRecords, type BuiltDataset, SMALL } from '../datasets.ts'
import { type Answer, aMember, type Caller, openWorld, type World } from '../http.ts'
import { within } from './target.ts'

const MANY = 60

let world: World
let dataset: BuiltDataset
let busy: Caller
let other: Caller
beforeAll(async () => {
  world = await openWorld()
  dataset = await aDataset(world, SMALL)
  busy = await aMember(world)
  other = await aMember(world)
  const text = (i: number) => Array.from({ length: 100 }, (_, j) => `word${(i * 100 + j) % 5_000}`).join(' ')
  for (let from = 0; from < 1000; from += 500) {
    await addRecords(
      world,
      dataset,
      Array.from({ length: 500 }, (_, i) => ({ fields: { text: text(from + i) } })),
    )
  }
})
afterAll(() => world?.close())

/** Runs `one` when the first of many requests is answered; how many of those were answered before it was. */
async function countBefore(many: () => Promise<Answer>, one: () => Promise<Answer>): Promise<number> {
  let answered = 0
  const started = Promise.withResolvers<void>()
  const all = Array.from({ length: MANY }, async () => {
    const { status, text } = await many()
    expect([status, text.slice(0, 200)]).toEqual([expect.toBeOneOf([200, 201]), expect.any(String)])
    answered++
    started.resolve()
  })
  await started.promise
  const before = answered
  const { status } = await one()
  const after = answered
  expect(status).toBeLessThan(300)
  await Promise.all(all)
  return after - before
}

const SEARCH = { query: { text: { q: 'wort1~2 | wurd2~2 | ward3~2' } } }
const search = (caller: Caller) => caller.send(`POST /me${dataset.path}/records/search`, SEARCH)

test('a search waits for a few searches of another person, not for all', async () => {
  expect(
    await countBefore(
      () => search(busy),
      () => search(other),
    ),
  ).toBeLessThan(MANY / 3)
})

test('a list does not wait for searches', async () => {
  const list = () => world.owner.send(`GET ${dataset.path}/records?limit=1`)
  expect(await countBefore(() => search(busy), list)).toBeLessThan(MANY / 3)
})

test('a small write waits for a few bulk writes of another person, not for all', async () => {
  const items = Array.from({ length: 100 }, () => ({ fields: { text: 'word '.repeat(50) } }))
  const bulk = () => world.owner.send(`POST ${dataset.path}/records/bulk`, { items })
  const small = () => world.memberAdmin.send(`PATCH ${dataset.path}`, { guidelines: 'new' })
  expect(await countBefore(bulk, small)).toBeLessThan(MANY / 3)
})

test('a person with 256 requests waiting is told to wait; those that they give up do not count', async () => {
  const gone = new AbortController()
  const url = `${world.server.url}/api/v1/me${dataset.path}/records/search`
  const key = (await busy.done<{ api_key: string }>('GET /me')).api_key
  const body = JSON.stringify(SEARCH)
  const headers = { 'x-argilla-api-key': key, 'content-type': 'application/json' }
  const send = () => fetch(url, { method: 'POST', headers, body, signal: gone.signal })
  const refused = Promise.withResolvers<Response>()
  const all = Array.from({ length: 400 }, () =>
    send().then(
      answer => answer.status === 429 && refused.resolve(answer),
      () => {},
    ),
  )
  const answer = await refused.promise
  expect([answer.headers.get('retry-after'), await answer.json()]).toEqual([
    '1',
    { detail: expect.stringContaining('requests waiting') },
  ])
  expect((await search(other)).status).toBe(200)
  gone.abort()
  await Promise.all(all)
  // The server notices closed connections a moment later.
  await expect.poll(async () => (await within(60_000, search(busy))).status).toBe(200)
})
