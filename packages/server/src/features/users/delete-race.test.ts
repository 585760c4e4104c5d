/** A user who responds while being deleted. PostgreSQL only, because SQLite runs one transaction at a time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readChanges } from '../../storage/changes.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race, untilWaiting } from '../../testing/processes.ts'
import { updateStatuses } from '../datasets/status-store.ts'
import { loadDataset } from '../datasets/store.ts'
import { addPublished, addRecords } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import { countRecords, listRecordsByNumbers } from '../records/store.ts'
import { insertResponses } from '../responses/store.ts'
import { createResponse } from '../responses/write.ts'
import { deleteUser } from './delete.ts'
import { addAnsweredDataset } from './testing/records.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('a user who responds while they are deleted', () => {
  eachDatabase((db, openAnother) => {
    test('leaves a log that names the record, which is pending again', async () => {
      if (db().dialect.name === 'sqlite') return
      const ctx = { ...opened, db: db() }
      const owner = await actAs(ctx, 'owner')
      const { id: user_id } = (await actAs(ctx, 'annotator')).actor
      const workspaceId = await addWorkspace(ctx)
      const [record_no = -1] = await addAnsweredDataset(db(), {
        id: 'd',
        workspaceId,
        minSubmitted: 1,
        records: [{ submitted: [] }],
      })

      const gate = Promise.withResolvers<void>()
      const responded = Promise.withResolvers<void>()
      const now = ctx.now()
      const row = { record_no, user_id, status: 'submitted', values: '{}', inserted_at: now, updated_at: now }
      const responding = db().transaction(async tx => {
        await insertResponses(tx, 'd', [{ id: ctx.newId(), ...row }], { overwrite: false })
        await updateStatuses(tx, [{ no: record_no, status: 'completed', updated_at: now }])
        await tx.sql.run('update dataset_heads set completed_count = 1 where dataset_id = ?', ['d'])
        responded.resolve()
        await gate.promise
      })
      await responded.promise
      const deleting = deleteUser(owner, user_id)
      await untilWaiting(db())
      gate.resolve()
      await Promise.all([responding, deleting])

      const entry = { event: 'user.deleted', record_nos: [record_no], details: { user_id } }
      expect(await readChanges(db(), 'd', 0, 10)).toMatchObject({ kind: 'changes', changes: [entry] })
      expect(await listRecordsByNumbers(db(), [record_no])).toMatchObject([{ status: 'pending' }])
      expect(await loadDataset(db(), 'd')).toMatchObject({ completed_count: 0 })
    })

    test('is told that they are not known any more', async () => {
      const ctx = { ...opened, db: db() }
      const place = { owner: await actAs(ctx, 'owner'), workspaceId: await addWorkspace(ctx) }
      const leaver = await actAs(ctx, 'annotator', [place.workspaceId])
      const { id } = await addPublished(place)
      const [record] = await addRecords(ctx, id, [null])
      const other = openAnother()
      const results = await race<unknown, unknown>(db(), {
        first: gated => deleteUser(gated(place.owner), leaver.actor.id),
        second: () => createResponse(inProcess(leaver, other), record?.id ?? '', { status: 'draft', values: {} }),
      })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'unauthenticated' } }])
      await other.close()
    })

    test.each([
      { from: 2, to: 1, submitted: 1 },
      { from: 1, to: 2, submitted: 2 },
    ])(
      'leaves records with the status that a distribution gives them which is changed meanwhile, from $from to $to',
      async ({ from, to, submitted }) => {
        const ctx = { ...opened, db: db() }
        const owner = await actAs(ctx, 'owner')
        const people = [await actAs(ctx, 'annotator'), await actAs(ctx, 'annotator')].map(({ actor }) => actor.id)
        const [leaver = ''] = people
        const id = ctx.newId()
        const records = [{ submitted: people.slice(0, submitted) }]
        await addAnsweredDataset(db(), { id, workspaceId: await addWorkspace(ctx), minSubmitted: from, records })

        const other = openAnother()
        const distribution = { strategy: 'overlap' as const, min_submitted: to }
        const results = await race<unknown, unknown>(db(), {
          first: gated => updateDataset(gated(owner), id, { distribution }),
          second: () => deleteUser(inProcess(owner, other), leaver),
        })
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
        expect(await loadDataset(db(), id)).toMatchObject({ completed_count: 0 })
        expect(await countRecords(db(), id)).toEqual({ records: 1, completed: 0 })
        await other.close()
      },
    )
  })
})
