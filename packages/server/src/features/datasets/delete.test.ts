import type { Id } from '@postil/domain/schema'
import { afterAll, expect, test } from 'vitest'
import { logChange } from '../../events/emit.ts'
import { storeSegment } from '../../search/source/store-segment.ts'
import { write } from '../../storage/write.ts'
import { createMetadataProperty } from '../metadata-properties/create.ts'
import { deleteDataset } from './delete.ts'
import { getDataset } from './get.ts'
import { purgeDataset } from './purge.ts'
import { addPublished, addRecords, addResponse, listJobs, openTestTeam } from './testing/datasets.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

const TABLES_OF_DATASETS = ['datasets', 'datasets_users', 'fields', 'questions', 'metadata_properties']
const TABLES_OF_RECORDS = ['records', 'responses', 'text_segments']

async function countRows(tables: string[]): Promise<Record<string, number>> {
  const rows = await Promise.all(tables.map(table => team.ctx.db.sql.get<{ n: number }>(`select count(*) as n from ${table}`)))
  return Object.fromEntries(tables.map((table, index) => [table, rows[index]?.n ?? -1]))
}

async function addSegments(datasetId: Id, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await write(team.ctx, async tx => {
      storeSegment(tx, datasetId, [{ recordNo: i + 1, pieces: [['hello']] }])
      logChange(tx, { name: 'flag.created', dataset_id: datasetId })
    })
  }
}

test('a deleted dataset is gone at once, its records soon after, and other datasets keep theirs', async () => {
  const kept = await addPublished(team)
  const dataset = await addPublished(team)
  for (const { id } of [kept, dataset]) {
    await createMetadataProperty(team.owner, id, { name: 'source', title: 'Source', settings: { type: 'terms', values: null } })
  }
  const keptBefore = await countRows(TABLES_OF_DATASETS)
  await addRecords(team.ctx, kept.id, [{ source: 'web' }])
  await addSegments(kept.id, 1)
  const before = await countRows(TABLES_OF_RECORDS)
  const records = await addRecords(
    team.ctx,
    dataset.id,
    Array.from({ length: 201 }, () => ({ source: 'web' })),
  )
  await addSegments(dataset.id, 2)
  for (const record of records.slice(0, 3)) await addResponse(team.annotator, record)
  team.ctx.events.length = 0

  expect(await deleteDataset(team.admin, dataset.id)).toEqual(dataset)
  expect(team.ctx.events).toEqual([{ name: 'dataset.deleted', payload: { dataset } }])
  await expect(getDataset(team.owner, dataset.id)).rejects.toMatchObject({ code: 'not_found' })
  expect(Object.values(await countRows(TABLES_OF_DATASETS))).toEqual(
    Object.values(keptBefore).map(count => Math.floor(count / 2)),
  )

  const payload = { dataset_id: dataset.id, actor_id: team.admin.actor.id, done: 0, total: 201 }
  expect(await listJobs(team.ctx)).toEqual([{ name: 'purge-dataset', payload }])
  // Deletes 200 records, then the last record with one segment, then the other segment.
  for (const done of [200, 0, 0]) expect(await purgeDataset(team.ctx, payload)).toEqual({ ...payload, done })
  expect(await purgeDataset(team.ctx, payload)).toBeNull()
  expect(await countRows(TABLES_OF_RECORDS)).toEqual(before)
  expect(team.ctx.events).toHaveLength(1)
})

test('deleting a dataset that is not there is an error', async () => {
  await expect(deleteDataset(team.owner, team.ctx.newId())).rejects.toMatchObject({ code: 'not_found' })
})
