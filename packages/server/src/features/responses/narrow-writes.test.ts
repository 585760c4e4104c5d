import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPublished, addRecords, openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { loadRecord } from '../records/store.ts'
import { createResponse } from './write.ts'

let team: TestTeam
beforeAll(async () => {
  team = await openTestTeam()
})
afterAll(() => team.ctx.close())

/** Makes all later updates of the table fail. */
const refuseUpdates = (table: string) =>
  team.ctx.db.sql.run(`create temp trigger ${table}_stays before update on main.${table}
    begin select raise(abort, '${table} was written'); end`)

test('a response that completes a record writes neither its fields nor its dataset again', async () => {
  const { ctx, annotator } = team
  const dataset = await addPublished(team)
  const [record] = await addRecords(ctx, dataset.id, [null])
  const id = record?.id ?? ''
  for (const table of ['record_fields', 'datasets']) await refuseUpdates(table)
  await expect(ctx.db.sql.run("update record_fields set fields = '{}'")).rejects.toThrow('record_fields was written')

  await createResponse(annotator, id, { status: 'submitted', values: { mood: { value: 'good' } } })
  expect(await loadRecord(ctx.db, id)).toMatchObject({ status: 'completed', fields: record?.fields })
})
