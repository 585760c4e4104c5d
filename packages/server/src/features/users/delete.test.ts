import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { openJobRunner } from '../../jobs/worker.ts'
import { readChanges } from '../../storage/changes.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { loadDataset } from '../datasets/store.ts'
import { listJobs } from '../datasets/testing/datasets.ts'
import { listRecordsByNumbers } from '../records/store.ts'
import { deleteUser } from './delete.ts'
import { purgeUser } from './purge.ts'
import { findUserByUsername, loadUser } from './store.ts'
import { addAnsweredDataset } from './testing/records.ts'

let ctx: TestContext
let owner: RequestContext
beforeEach(async () => {
  ctx = await openTestContext()
  owner = await actAs(ctx, 'owner')
})
afterEach(() => ctx.close())

const statusesOf = async (nos: number[]) => (await listRecordsByNumbers(ctx.db, nos)).map(record => record.status)

test('the last owner may delete themselves', async () => {
  await expect(deleteUser(owner, owner.actor.id)).resolves.toMatchObject({ id: owner.actor.id })
})

test('records that only a deleted user completed are pending again, and the totals say so', async () => {
  const workspaceId = await addWorkspace(ctx)
  const [leaver, stayer] = [await actAs(ctx, 'annotator'), await actAs(ctx, 'annotator')].map(({ actor }) => actor.id) as [
    string,
    string,
  ]
  const one = await addAnsweredDataset(ctx.db, {
    id: 'one',
    workspaceId,
    minSubmitted: 1,
    records: [
      { submitted: [leaver] },
      { submitted: [leaver, stayer] },
      { submitted: [stayer], drafts: [leaver] },
      { submitted: [], drafts: [leaver] },
    ],
  })
  const two = await addAnsweredDataset(ctx.db, {
    id: 'two',
    workspaceId,
    minSubmitted: 2,
    records: [{ submitted: [leaver, stayer] }, { submitted: [leaver, stayer, owner.actor.id] }, { submitted: [leaver] }],
  })

  await deleteUser(owner, leaver)
  expect(await statusesOf(one)).toEqual(['pending', 'completed', 'completed', 'pending'])
  expect(await statusesOf(two)).toEqual(['pending', 'completed', 'pending'])
  expect(await loadDataset(ctx.db, 'one')).toMatchObject({ records_count: 4, completed_count: 2 })
  expect(await loadDataset(ctx.db, 'two')).toMatchObject({ records_count: 3, completed_count: 1 })
  expect(ctx.events).toEqual([])
  const entry = { change_no: 1, event: 'user.deleted', actor_id: owner.actor.id, details: { user_id: leaver } }
  for (const [id, record_nos] of Object.entries({ one, two })) {
    const changes = [{ ...entry, record_nos, inserted_at: expect.any(String) }]
    expect(await readChanges(ctx.db, id, 0, 10)).toEqual({ kind: 'changes', changes })
  }
})

test('only records whose status changes get a new time', async () => {
  const workspaceId = await addWorkspace(ctx)
  const { id } = (await actAs(ctx, 'annotator')).actor
  const records = [{ submitted: [id] }, { submitted: [id, owner.actor.id] }]
  const nos = await addAnsweredDataset(ctx.db, { id: 'd', workspaceId, minSubmitted: 1, records })
  const before = await listRecordsByNumbers(ctx.db, nos)
  await deleteUser(owner, id)
  const after = await listRecordsByNumbers(ctx.db, nos)
  expect(after.map((record, index) => record.updated_at === before[index]?.updated_at)).toEqual([false, true])
})

test('responses to a deleted dataset, whose records are still to be removed, are no hindrance', async () => {
  const { id } = (await actAs(ctx, 'annotator')).actor
  const workspaceId = await addWorkspace(ctx)
  await addAnsweredDataset(ctx.db, { id: 'gone', workspaceId, minSubmitted: 1, records: [{ submitted: [id] }] })
  await ctx.db.sql.run('delete from datasets where id = ?', ['gone'])
  await expect(deleteUser(owner, id)).resolves.toMatchObject({ id })
})

describe('a user with more responses than one piece removes', () => {
  const RECORDS = 480
  let leaver: RequestContext
  let stayer: RequestContext
  let nos: number[]
  beforeEach(async () => {
    const workspaceId = await addWorkspace(ctx)
    leaver = await actAs(ctx, 'annotator', [workspaceId])
    stayer = await actAs(ctx, 'annotator', [workspaceId])
    // Both users completed every third record.
    const records = Array.from({ length: RECORDS }, (_, i) => ({
      submitted: i % 3 === 0 ? [leaver.actor.id, stayer.actor.id] : [leaver.actor.id],
    }))
    nos = await ctx.db.transaction(db => addAnsweredDataset(db, { id: 'large', workspaceId, minSubmitted: 1, records }))
  })

  const countOf = async (text: string, params: string[] = []) =>
    (await ctx.db.sql.get<{ count: number }>(`select count(*) as count from ${text}`, params))?.count
  const ofLeaver = () => countOf('responses where user_id = ?', [leaver.actor.id])
  const completed = () => countOf("records where status = 'completed'")

  test('is gone at once, and the name can be used again, while the responses go piece by piece', async () => {
    const { id, username } = leaver.actor
    expect(await deleteUser(owner, id)).toMatchObject({ id, username })
    await expect(loadUser(ctx.db, id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(deleteUser(owner, id)).rejects.toMatchObject({ code: 'not_found' })
    await ctx.db.sql.run('update users set username = ? where id = ?', [username, stayer.actor.id])
    expect(await findUserByUsername(ctx.db, username)).toMatchObject({ id: stayer.actor.id })

    const counts = [await ofLeaver()]
    const [job] = await listJobs(ctx)
    let payload = job?.payload as Parameters<typeof purgeUser>[1] | null
    expect(payload).toEqual({ user_id: id, actor_id: owner.actor.id, done: 200 })
    while (payload) {
      payload = await purgeUser(ctx, payload)
      counts.push(await ofLeaver())
      // The totals match the records at every step.
      expect(await loadDataset(ctx.db, 'large')).toMatchObject({ completed_count: await completed() })
    }
    expect(counts).toEqual([280, 80, 0])
    expect([await completed(), await countOf('users where id = ?', [id])]).toEqual([RECORDS / 3, 0])
    expect(await statusesOf(nos.slice(0, 4))).toEqual(['completed', 'pending', 'pending', 'completed'])
  })

  test('is named by log entries that together name all of their records, for whoever deleted them', async () => {
    await deleteUser(owner, leaver.actor.id)
    const runner = openJobRunner(ctx)
    while (await runner.step());
    const read = await readChanges(ctx.db, 'large', 0, 10)
    const changes = read.kind === 'changes' ? read.changes : []
    expect(changes.map(({ event, actor_id, details }) => ({ event, actor_id, details }))).toEqual(
      Array.from({ length: 3 }, () => ({
        event: 'user.deleted',
        actor_id: owner.actor.id,
        details: { user_id: leaver.actor.id },
      })),
    )
    expect(changes.flatMap(({ record_nos }) => record_nos).toSorted((a, b) => a - b)).toEqual(nos)
    expect(ctx.events).toEqual([])
  })

  test('is removed by the next process if the one that began it is killed, and by a piece that runs twice', async () => {
    await deleteUser(owner, leaver.actor.id)
    const killed = openJobRunner(ctx)
    await killed.step()
    const [job] = await listJobs(ctx)
    await purgeUser(ctx, job?.payload as Parameters<typeof purgeUser>[1])
    const next = openJobRunner(ctx)
    while (await next.step());
    expect([await ofLeaver(), await completed()]).toEqual([0, RECORDS / 3])
    expect(await loadDataset(ctx.db, 'large')).toMatchObject({ completed_count: RECORDS / 3 })
    expect(await countOf("jobs where status = 'finished'")).toBe(1)
  })

  test('loses what they still write after they were deleted', async () => {
    await deleteUser(owner, leaver.actor.id)
    const workspaceId = await addWorkspace(ctx)
    const [no = 0] = await addAnsweredDataset(ctx.db, {
      id: 'late',
      workspaceId,
      minSubmitted: 1,
      records: [{ submitted: [leaver.actor.id] }],
    })
    const runner = openJobRunner(ctx)
    while (await runner.step());
    expect([await ofLeaver(), await statusesOf([no])]).toEqual([0, ['pending']])
    expect(await countOf('datasets_users where user_id = ?', [leaver.actor.id])).toBe(0)
  })
})
