import { DATASET_INCLUDES } from '@postil/domain/dataset-includes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { Queryable, Sql } from '../../storage/database.ts'
import { actAs } from '../../testing/context.ts'
import { createMetadataProperty } from '../metadata-properties/create.ts'
import { createVectorsSettings } from '../vectors-settings/create.ts'
import { getDataset } from './get.ts'
import { getMyDatasetMetrics } from './get-my-metrics.ts'
import { getDatasetProgress } from './get-progress.ts'
import { includeInDatasets } from './include.ts'
import { listDatasets } from './list.ts'
import { recomputeStatus } from './recompute-status.ts'
import * as store from './store.ts'
import { addDraft, addPublished, addRecords, addResponse, openTestTeam, type TestTeam } from './testing/datasets.ts'

let team: TestTeam
let datasetId: string
beforeAll(async () => {
  team = await openTestTeam()
  datasetId = (await addPublished(team)).id
  await addDraft(team)
  const property = { name: 'source', title: 'Source', settings: { type: 'terms' as const, values: null } }
  await createMetadataProperty(team.owner, datasetId, property)
  await createMetadataProperty(team.owner, datasetId, { ...property, name: 'secret', visible_for_annotators: false })
  await createVectorsSettings(team.owner, datasetId, { name: 'embed', title: 'Embed', dimensions: 3 })
  const [first, second, third] = await addRecords(team.ctx, datasetId, [null, null, null, null])
  if (!first || !second || !third) throw new Error('records are missing')
  await addResponse(team.annotator, first)
  await addResponse(team.annotator, second, 'draft')
  await addResponse(team.admin, third, 'discarded')
  await recomputeStatus(team.ctx, { dataset_id: datasetId, after: 0 })
})
afterAll(() => team.ctx.close())

const included = async (ctx: RequestContext, include: string[]) => {
  const { items } = await listDatasets(ctx, { include })
  const dataset = items.find(({ id }) => id === datasetId)
  if (!dataset) throw new Error('the dataset is missing')
  return dataset
}

describe('datasets with includes', () => {
  test('have the keys that were asked for, separated by commas or repeated', async () => {
    const plain = Object.keys(await getDataset(team.owner, datasetId))
    const { items } = await listDatasets(team.owner, {})
    expect(items.map(dataset => Object.keys(dataset))).toEqual(items.map(() => plain))
    const keys = Object.keys(await included(team.owner, ['fields,workspace', 'records_total']))
    expect(keys).toEqual([...plain, 'fields', 'workspace', 'records_total'])
  })

  test('show what the routes of the parts show', async () => {
    const dataset = await included(team.annotator, DATASET_INCLUDES.slice())
    expect(dataset).toMatchObject({
      fields: [{ name: 'text', settings: { type: 'text' }, required: true }],
      questions: [{ name: 'mood', settings: { type: 'text' } }],
      vectors_settings: [{ name: 'embed', dimensions: 3 }],
      workspace: { id: team.workspaceId, name: expect.stringContaining('workspace-') },
      records_total: 4,
    })
    for (const item of [dataset.questions, dataset.metadata_properties, dataset.vectors_settings].flat()) {
      expect(item).not.toHaveProperty('no')
    }
    expect(dataset.progress).toEqual(await getDatasetProgress(team.annotator, datasetId))
    expect(dataset.metrics).toEqual({ ...(await getMyDatasetMetrics(team.annotator, datasetId)), pending_for_me: 2 })
    expect(dataset.metrics?.responses).toMatchObject({ submitted: 1, draft: 1, discarded: 0, pending: 2 })
    expect(await getDataset(team.annotator, datasetId, DATASET_INCLUDES.slice())).toEqual(dataset)
  })

  test('hide from annotators the metadata properties that are hidden from them', async () => {
    const names = async (ctx: RequestContext) =>
      (await included(ctx, ['metadata_properties'])).metadata_properties?.map(({ name }) => name)
    expect(await names(team.annotator)).toEqual(['source'])
    expect(await names(team.admin)).toEqual(['source', 'secret'])
  })

  test('name eight contributors and count all', async () => {
    const [record] = await addRecords(team.ctx, datasetId, [null])
    if (!record) throw new Error('the record is missing')
    for (let i = 0; i < 7; i++) await addResponse(await actAs(team.ctx, 'annotator', [team.workspaceId]), record)
    const { users } = await included(team.owner, ['users'])
    expect(users).toMatchObject({ total: 9, items: expect.any(Array) })
    expect(users?.items[0]).toMatchObject({ id: team.annotator.actor.id, first_name: 'annotator' })
    expect(users?.items).toHaveLength(8)
    expect(Object.keys(users?.items[0] ?? {})).toEqual(['id', 'username', 'first_name', 'last_name'])
  })

  test('need the same number of statements for one and for many', async () => {
    for (let i = 0; i < 20; i++) await addDraft(team)
    const datasets = await store.listDatasets(team.ctx.db, { workspaceIds: null })
    const { db, statements } = counted(team.ctx.db)
    await includeInDatasets(db, team.annotator.actor, datasets.slice(0, 1), new Set(DATASET_INCLUDES))
    const forOne = statements()
    await includeInDatasets(db, team.annotator.actor, datasets, new Set(DATASET_INCLUDES))
    expect(datasets.length).toBeGreaterThan(20)
    expect(statements()).toBe(forOne * 2)
    expect(forOne).toBe(10)
  })
})

/** Wraps the database and counts the statements that run. */
function counted(db: Queryable): { db: Queryable; statements: () => number } {
  let count = 0
  const all: Sql['all'] = (text, params) => {
    count++
    return db.sql.all(text, params)
  }
  const kysely = db.kysely.withPlugin({
    transformQuery: ({ node }) => {
      count++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { db: { ...db, kysely, sql: { ...db.sql, all } }, statements: () => count }
}
