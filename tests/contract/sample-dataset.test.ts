/** Creates the sample dataset of the web UI on a real server, which must accept all of it. */
import { type Client, createClient } from '@postil/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSampleDataset, type SampleProgress } from '../../packages/web/src/features/home/sample-dataset.ts'
import { type StartedServer, startServer } from '../server.ts'

let server: StartedServer
let owner: Client
beforeAll(async () => {
  // No workspace: the sample must create one.
  server = await startServer({ env: { WORKSPACE: '' } })
  owner = createClient({ url: server.url, apiKey: server.apiKey })
})
afterAll(() => server?.close())

describe('the sample dataset', () => {
  let datasetId: string
  const steps: SampleProgress[] = []
  beforeAll(async () => {
    for (const { id } of (await owner.listMyWorkspaces()).items) await owner.deleteWorkspace({ params: { workspace_id: id } })
    datasetId = await createSampleDataset(owner, { onProgress: step => steps.push(step) })
  })

  test('lies in a workspace of its own where there was none', async () => {
    const { items } = await owner.listMyWorkspaces()
    expect(items.map(({ name }) => name)).toEqual(['sample'])
  })

  test('is published with every kind of field and question', async () => {
    const include = ['fields', 'questions', 'metadata_properties', 'vectors_settings', 'records_total']
    const dataset = await owner.getDataset({ params: { dataset_id: datasetId }, query: { include } })
    expect(dataset).toMatchObject({ name: 'sample', status: 'ready', records_total: 30 })
    const kinds = (items: readonly { settings: { type: string } }[] = []) => new Set(items.map(({ settings }) => settings.type))
    expect(kinds(dataset.fields)).toEqual(new Set(['text', 'chat', 'image', 'custom']))
    expect(kinds(dataset.questions)).toEqual(
      new Set(['label_selection', 'multi_label_selection', 'rating', 'ranking', 'text', 'span']),
    )
    expect(kinds(dataset.metadata_properties)).toEqual(new Set(['terms', 'integer', 'float']))
    expect(dataset.vectors_settings).toHaveLength(1)
  })

  test('can be searched, filtered and compared', async () => {
    const params = { dataset_id: datasetId }
    const found = await owner.searchMyRecords({ params, body: { query: { text: { q: 'parcel' } } } })
    const [first] = found.items
    expect(found.total).toBeGreaterThan(0)
    const similar = await owner.searchMyRecords({
      params,
      query: { limit: 5 },
      body: { query: { vector: { name: 'topic_and_mood', record_id: first?.record.id ?? '' } } },
    })
    const metadata = similar.items.map(({ record }) => record.metadata?.language)
    expect(metadata.length).toBeGreaterThan(3)
    const german = {
      type: 'terms' as const,
      scope: { entity: 'metadata' as const, metadata_property: 'language' },
      values: ['de'],
    }
    expect((await owner.searchMyRecords({ params, body: { filters: { and: [german] } } })).total).toBe(6)
  })

  test('tells how far it is, up to the end', () => {
    expect(steps.map(({ records }) => records)).toEqual([0, 0, 10, 20, 30])
    expect(steps.at(-1)).toMatchObject({ done: 50, total: 50 })
  })

  test('takes another name when it is made again, in a given workspace', async () => {
    const workspaceId = (await owner.listMyWorkspaces()).items[0]?.id ?? ''
    const id = await createSampleDataset(owner, { workspaceId })
    expect((await owner.getDataset({ params: { dataset_id: id } })).name).toBe('sample-2')
  })

  test('is refused to those who may not create datasets, and leaves nothing behind', async () => {
    const workspace_id = (await owner.listMyWorkspaces()).items[0]?.id ?? ''
    const user = await owner.createUser({ body: { username: 'anna', first_name: 'Anna', password: 'anna-password' } })
    await owner.addWorkspaceUser({ params: { workspace_id }, body: { user_id: user.id } })
    const annotator = createClient({ url: server.url, apiKey: user.api_key ?? '' })
    await expect(createSampleDataset(annotator, { workspaceId: workspace_id })).rejects.toThrow()
    expect((await owner.listMyDatasets()).items).toHaveLength(2)
  })
})
