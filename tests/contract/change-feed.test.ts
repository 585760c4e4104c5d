/** The change feed over HTTP: permissions, long polling, and the end of waiting. */
import { setTimeout } from 'node:timers/promises'
import type { FeedPage } from '@postil/domain/change-feed'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectRefused, expectUnauthorized } from './answers.ts'
import { aDataset, aRecord, type BuiltDataset, SMALL, submitted } from './datasets.ts'
import { ACTORS, type Answer, aMember, type Caller, openWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await openWorld()
  dataset = await aDataset(world, SMALL)
})
afterAll(() => world?.close())

const ask = (caller: Caller, query: string, { id } = dataset) => caller.send<FeedPage>(`GET /datasets/${id}/events?${query}`)
const headOf = async (of = dataset) => (await ask(world.owner, 'limit=1', of)).body.head

/** Sends a long-polling request, which gets a response only after a change. */
function waiting(caller: Caller, after: number, { seconds = 60, of = dataset } = {}) {
  const state: { answer: Answer<FeedPage> | null } = { answer: null }
  const answered = ask(caller, `after=${after}&wait=${seconds}`, of).then(answer => {
    state.answer = answer
    return answer
  })
  return { answered, state }
}

/** Waits until requests that were sent before are parked on the server. */
const untilParked = () => setTimeout(150)

test.each(ACTORS.map(name => ({ name, may: ['owner', 'memberAdmin'].includes(name) })))(
  'the feed is for $name: $may',
  async ({ name, may }) => {
    const answer = await ask(world[name], 'after=0')
    if (may) expect(answer).toMatchObject({ status: 200, body: { items: { length: answer.body.head } } })
    else expectForbidden(answer)
  },
)

describe('a request that waits', () => {
  test('is answered with the next entry', async () => {
    const after = await headOf()
    const [owner, admin] = [waiting(world.owner, after), waiting(world.memberAdmin, after)]
    await untilParked()
    expect([owner.state.answer, admin.state.answer]).toEqual([null, null])
    const record = await aRecord(world, dataset)
    for (const { answered } of [owner, admin]) {
      expect((await answered).body).toMatchObject({
        items: [{ change_no: after + 1, event: 'record.created', record_ids: [record.id], actor_id: world.owner.id }],
        next: after + 1,
        head: after + 1,
      })
    }
  })

  test('is answered at once if there is one', async () => {
    const after = await headOf()
    expect((await ask(world.owner, `after=${after - 1}&wait=60`)).body.items).toHaveLength(1)
  })

  test('is answered with nothing, and where it was, when the time is over', async () => {
    const after = await headOf()
    expect((await ask(world.owner, `after=${after}&wait=1`)).body).toEqual({ items: [], next: after, head: after })
  })

  test('never misses an entry that is written while it arrives', async () => {
    const record = await aRecord(world, dataset)
    for (let round = 0; round < 30; round++) {
      const after = await headOf()
      const poll = waiting(world.owner, after)
      await setTimeout(round % 6)
      const wrote = round % 2 === 0 ? 'PUT' : 'DELETE'
      await world.owner.done(`${wrote} /me/records/${record.id}/flag`)
      expect((await poll.answered).body).toMatchObject({ items: [{ change_no: after + 1 }] })
    }
  })

  test('of another dataset stays', async () => {
    const other = await aDataset(world, SMALL)
    const poll = waiting(world.owner, await headOf(other), { of: other })
    await untilParked()
    await aRecord(world, dataset)
    await setTimeout(200)
    expect(poll.state.answer).toBeNull()
    await aRecord(world, other)
    expect((await poll.answered).body.items).toHaveLength(1)
  })

  test('of somebody who may not read the feed any more is refused at the next change', async () => {
    const [removed, deleted] = [await aMember(world, 'admin'), await aMember(world, 'admin')]
    const after = await headOf()
    const polls = [waiting(removed, after), waiting(deleted, after)]
    await untilParked()
    await world.owner.done(`DELETE /workspaces/${world.workspaceId}/users/${removed.id}`)
    await world.owner.done(`DELETE /users/${deleted.id}`)
    expect(polls.map(({ state }) => state.answer)).toEqual([null, null])
    await aRecord(world, dataset)
    expectForbidden((await polls[0]?.answered) as Answer)
    expectUnauthorized((await polls[1]?.answered) as Answer)
  })

  test('is told when its dataset is deleted', async () => {
    const other = await aDataset(world, SMALL)
    const poll = waiting(world.owner, await headOf(other), { of: other })
    await untilParked()
    await world.owner.done(`DELETE /datasets/${other.id}`)
    expectRefused(await poll.answered, 404)
  })

  test('is one of at most 32 of its user, and one that is closed makes room', async () => {
    const admin = await aMember(world, 'admin')
    const after = await headOf()
    const stop = new AbortController()
    const headers = { 'x-argilla-api-key': admin.key ?? '' }
    const url = `${world.server.url}/api/v1/datasets/${dataset.id}/events?after=${after}&wait=60`
    // One of the requests below may arrive before the last of these and occupy its slot for a second.
    const hold = async (): Promise<void> => {
      const held = await fetch(url, { headers, signal: stop.signal }).catch(() => null)
      if (held?.status === 429) await setTimeout(100).then(hold)
    }
    const closed = Array.from({ length: 32 }, hold)
    await expect.poll(async () => (await ask(admin, `after=${after}&wait=1`)).status).toBe(429)
    const refused = await ask(admin, `after=${after}&wait=1`)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.text).toMatch(/32 requests that wait/)
    expect((await ask(admin, `after=${after}`)).status).toBe(200)
    expect((await ask(world.owner, `after=${after}&wait=1`)).status).toBe(200)
    stop.abort()
    await Promise.all(closed)
    await expect.poll(async () => (await ask(admin, `after=${after}&wait=1`)).status).toBe(200)
  })
})

test('entries beyond the end of the log are refused with where it ends', async () => {
  const head = await headOf()
  const answer = await ask(world.owner, `after=${head + 1}`)
  expect(answer).toMatchObject({ status: 410, body: { code: 'changes_restored', first: 1, head } })
})

test('one answer to a record is several entries, in the order of the log', async () => {
  const record = await aRecord(world, dataset)
  const after = await headOf()
  const response = await world.memberAnnotator.done<{ id: string }>(`POST /records/${record.id}/responses`, submitted())
  const { items } = (await ask(world.owner, `after=${after}`)).body
  const common = { record_ids: [record.id], actor_id: world.memberAnnotator.id }
  expect(items).toMatchObject([
    { ...common, event: 'record.updated' },
    { ...common, event: 'record.completed' },
    { ...common, event: 'response.created', response_ids: [response.id] },
  ])
})
