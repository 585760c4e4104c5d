/** Fair scheduling: one user with many requests does not block another user with one request. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aDataset, addRecords, type BuiltDataset, SMALL } from '../datasets.ts'
import { type Answer, aMember, type Caller, openWorld, type World } from '../http.ts'
import { HANG_MS } from '../server-work.ts'
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

/** Runs `one` after the first of many requests is answered. Returns all responses. */
async function runBeside(
  many: () => Promise<Answer>,
  one: () => Promise<Answer>,
): Promise<{ all: Answer[]; one: Answer; after: number }> {
  let answered = 0
  const started = Promise.withResolvers<void>()
  const sent = Array.from({ length: MANY }, async () => {
    const answer = await many()
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([expect.toBeOneOf([200, 201]), expect.any(String)])
    answered++
    started.resolve()
    return answer
  })
  await started.promise
  const before = answered
  const answer = await one()
  const after = answered - before
  expect(answer.status).toBeLessThan(300)
  return { all: await Promise.all(sent), one: answer, after }
}

/** Returns how many of the requests were answered while `one` was running. */
const countBefore = async (many: () => Promise<Answer>, one: () => Promise<Answer>) => (await runBeside(many, one)).after

/**
 * Returns the server's time for `one` as a fraction of the slowest of the others. Counting responses does not work here, because
 * a cluster may answer most searches before the next request arrives.
 */
async function shareOfSlowest(many: () => Promise<Answer>, one: () => Promise<Answer>): Promise<number> {
  const msOf = ({ headers }: Answer) => Number(/^total;dur=([\d.]+)$/.exec(headers.get('server-timing') ?? '')?.[1])
  const answers = await runBeside(many, one)
  return msOf(answers.one) / Math.max(...answers.all.map(msOf))
}

const SEARCH = { query: { text: { q: 'wort1~2 | wurd2~2 | ward3~2' } } }
const search = (caller: Caller) => caller.send(`POST /me${dataset.path}/records/search`, SEARCH)

test('a search waits for a few searches of another person, not for all', async () => {
  expect(
    await shareOfSlowest(
      () => search(busy),
      () => search(other),
    ),
  ).toBeLessThan(2 / 3)
})

test('a list does not wait for searches', async () => {
  const list = () => world.owner.send(`GET ${dataset.path}/records?limit=1`)
  expect(await shareOfSlowest(() => search(busy), list)).toBeLessThan(2 / 3)
})

test('a small write waits for a few bulk writes of another person, not for all', async () => {
  const items = Array.from({ length: 100 }, () => ({ fields: { text: 'word '.repeat(50) } }))
  const bulk = () => world.owner.send(`POST ${dataset.path}/records/bulk`, { items })
  const small = () => world.memberAdmin.send(`PATCH ${dataset.path}`, { guidelines: 'new' })
  expect(await countBefore(bulk, small)).toBeLessThan(MANY / 3)
})

// Uses long lists, because a cluster may answer searches as fast as a test can send them.
test('a person with 256 requests waiting is told to wait; those that they give up do not count', async () => {
  const gone = new AbortController()
  const list = `${dataset.path}/records?limit=1000`
  const headers = { 'x-argilla-api-key': world.memberAdmin.key ?? '' }
  const send = () => fetch(`${world.server.url}/api/v1${list}`, { headers, signal: gone.signal })
  const refused = Promise.withResolvers<Response>()
  const all = Array.from({ length: 400 }, () =>
    send().then(
      answer => answer.status === 429 && refused.resolve(answer),
      () => {},
    ),
  )
  void Promise.all(all).then(() => refused.reject(new Error('none of 400 requests was refused')))
  const answer = await refused.promise
  expect([answer.headers.get('retry-after'), await answer.json()]).toEqual([
    '1',
    { detail: expect.stringContaining('requests waiting') },
  ])
  expect((await search(other)).status).toBe(200)
  gone.abort()
  await Promise.all(all)
  // The server detects closed connections with a short delay.
  await expect.poll(async () => (await within(HANG_MS, world.memberAdmin.send(`GET ${list}`))).status).toBe(200)
})
