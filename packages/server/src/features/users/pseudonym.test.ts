import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { openJobRunner } from '../../jobs/worker.ts'
import { readChanges } from '../../storage/changes.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { listContributors } from '../datasets/progress-store.ts'
import { insertComment, insertFlag, listComments } from '../notes/store.ts'
import { deleteUser } from './delete.ts'
import { findActorById, findUserByUsername } from './store.ts'
import { addAnsweredDataset } from './testing/records.ts'
import { createWholeUser } from './testing/whole-calls.ts'
import { changeHashedUser } from './update.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const PSEUDONYM = /^deleted-user-[0-9a-f]{6,}$/

eachDatabase((db, openAnother) => {
  let owner: RequestContext
  let leaver: RequestContext
  let workspaceId: Id
  let datasetId: Id
  let nos: number[]
  beforeEach(async () => {
    const ctx = inProcess(opened, db())
    owner = await actAs(ctx, 'owner')
    workspaceId = await addWorkspace(ctx)
    leaver = await actAs(ctx, 'annotator', [workspaceId])
    datasetId = ctx.newId()
    const records = [{ submitted: [leaver.actor.id] }, { submitted: [], drafts: [leaver.actor.id] }, { submitted: [] }]
    nos = await addAnsweredDataset(db(), { id: datasetId, workspaceId, minSubmitted: 1, records })
  })

  const keep = () => deleteUser(owner, leaver.actor.id, 'keep')
  const changesOf = async (id: Id) => {
    const read = await readChanges(db(), id, 0, 100)
    return read.kind === 'changes' ? read.changes : []
  }
  const countOf = async (table: string) =>
    (await db().sql.get<{ count: number }>(`select count(*) as count from ${table} where user_id = ?`, [leaver.actor.id]))?.count
  const flag = (index: number, userId = leaver.actor.id) =>
    insertFlag(db(), { record_id: `${datasetId}-${index}`, user_id: userId }, owner.now())
  const comment = () => {
    const { id: user_id, username } = leaver.actor
    const row = { id: owner.newId(), record_id: `${datasetId}-0`, user_id, username, body: 'Look.', inserted_at: owner.now() }
    return insertComment(db(), row)
  }

  describe('a user who is deleted while their responses are kept', () => {
    test('cannot act: no password, key, session, membership or running job is left', async () => {
      const { id, username } = leaver.actor
      await keep()
      const row = await db().sql.get('select role, password_hash, api_key_encrypted, deactivated_at from users where id = ?', [
        id,
      ])
      expect(row).toEqual({ role: 'pseudonym', password_hash: '', api_key_encrypted: '', deactivated_at: null })
      expect([await findActorById(db(), id), await findUserByUsername(db(), username)]).toEqual([null, null])
      for (const table of ['sessions', 'workspaces_users', 'bulk_jobs']) expect([table, await countOf(table)]).toEqual([table, 0])
      await expect(changeHashedUser(owner, id, { role: 'owner' })).rejects.toMatchObject({ code: 'not_found' })
    })

    test('frees the name, and keeps that of the pseudonym', async () => {
      const { username } = leaver.actor
      await keep()
      const input = { first_name: 'Lena', password: 'a long password' }
      expect(await createWholeUser(owner, { ...input, username })).toMatchObject({ username })
      const [pseudonym] = await listContributors(db(), [datasetId])
      const again = createWholeUser(owner, { ...input, username: pseudonym?.username ?? '' })
      await expect(again).rejects.toMatchObject({ code: 'not_unique' })
    })

    test('leaves comments under the pseudonym, and no flags', async () => {
      await comment()
      for (const index of [0, 2]) await flag(index)
      await flag(2, owner.actor.id)
      await keep()
      const [left] = await listComments(db(), `${datasetId}-0`, 10)
      expect(left).toMatchObject({ body: 'Look.', user_id: leaver.actor.id, username: expect.stringMatching(PSEUDONYM) })
      expect(await countOf('record_flags')).toBe(0)
      expect(await db().sql.column('select user_id from record_flags where record_id = ?', [`${datasetId}-2`])).toEqual([
        owner.actor.id,
      ])
      const logged = (await changesOf(datasetId)).map(({ event, record_nos, details, actor_id }) => {
        return { event, record_nos, details, actor_id }
      })
      expect(logged).toEqual([
        { event: 'user.updated', record_nos: [], details: { user_id: leaver.actor.id }, actor_id: owner.actor.id },
        { event: 'flag.deleted', record_nos: [nos[0], nos[2]], details: null, actor_id: owner.actor.id },
      ])
    })

    test('loses many flags piece by piece, all of them named by the log', async () => {
      const id = owner.newId()
      const records = Array.from({ length: 450 }, () => ({ submitted: [] }))
      const flagged = await db().transaction(tx => addAnsweredDataset(tx, { id, workspaceId, minSubmitted: 1, records }))
      const rows = flagged.map((_, index) => [`${id}-${index}`, leaver.actor.id, owner.now()])
      await db().sql.insertAll('record_flags', ['record_id', 'user_id', 'inserted_at'], rows)
      await keep()
      expect(await countOf('record_flags')).toBe(250)
      const runner = openJobRunner({ ...opened, db: db() })
      while (await runner.step());
      expect(await countOf('record_flags')).toBe(0)
      const changes = await changesOf(id)
      expect(new Set(changes.map(({ event, actor_id }) => `${event} ${actor_id}`))).toEqual(
        new Set([`flag.deleted ${owner.actor.id}`]),
      )
      expect(changes.flatMap(({ record_nos }) => record_nos).toSorted((a, b) => a - b)).toEqual(flagged)
    })

    test('is logged where they only commented, too, and not in deleted datasets', async () => {
      await comment()
      await db().sql.run('delete from datasets_users where user_id = ?', [leaver.actor.id])
      const gone = owner.newId()
      await addAnsweredDataset(db(), { id: gone, workspaceId, minSubmitted: 1, records: [{ submitted: [leaver.actor.id] }] })
      await insertFlag(db(), { record_id: `${gone}-0`, user_id: leaver.actor.id }, owner.now())
      await db().sql.run('delete from datasets where id = ?', [gone])
      await keep()
      expect((await changesOf(datasetId)).map(({ event }) => event)).toEqual(['user.updated'])
      expect(await changesOf(gone)).toEqual([])
      expect(await countOf('record_flags')).toBe(0)
    })

    test('stays the same pseudonym when the request is sent again', async () => {
      await keep()
      const [before] = await listContributors(db(), [datasetId])
      expect(await keep()).toMatchObject({ username: before?.username, role: 'annotator', api_key: null })
      expect(await listContributors(db(), [datasetId])).toEqual([before])
      expect(await changesOf(datasetId)).toHaveLength(1)
    })
  })

  describe('at the same time', () => {
    test('keeping and deleting the same user end with nothing, and twice keeping with one pseudonym', async () => {
      const other = openAnother()
      const there = inProcess(owner, other)
      const { id } = leaver.actor
      const kept = await race(db(), {
        first: gated => deleteUser(gated(owner), id, 'keep'),
        second: () => deleteUser(there, id, 'keep'),
      })
      expect(kept.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      expect(await changesOf(datasetId)).toHaveLength(1)
      const deleted = await race(db(), {
        first: gated => deleteUser(gated(owner), id),
        second: () => deleteUser(there, id, 'keep'),
      })
      expect(deleted).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_found' } }])
      await other.close()
    })
  })

  test('new names of a user are logged where they responded; other changes are not', async () => {
    const { id } = leaver.actor
    await changeHashedUser(owner, id, { role: 'admin' })
    await changeHashedUser(owner, id, { username: leaver.actor.username, last_name: null })
    expect(await changesOf(datasetId)).toEqual([])
    for (const given of [{ username: `renamed ${id}` }, { first_name: 'Nadia' }, { last_name: 'Berg' }]) {
      await changeHashedUser(owner, id, given)
    }
    expect((await changesOf(datasetId)).map(({ event, details }) => [event, details])).toEqual(
      Array.from({ length: 3 }, () => ['user.updated', { user_id: id }]),
    )
  })
})
