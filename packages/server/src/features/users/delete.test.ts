import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { readChanges } from '../../storage/changes.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { loadDataset } from '../datasets/store.ts'
import { listRecordsByNumbers } from '../records/store.ts'
import { deleteUser } from './delete.ts'
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

test('a deleted user is answered once more and cannot come in again', async () => {
  const annotator = await actAs(ctx, 'annotator')
  const { id, username } = annotator.actor
  expect(await deleteUser(owner, id)).toMatchObject({ id, username, role: 'annotator' })
  await expect(loadUser(ctx.db, id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await findUserByUsername(ctx.db, username)).toBeNull()
})

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
