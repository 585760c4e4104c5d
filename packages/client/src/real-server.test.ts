/** Runs against a real server and checks what is created and that failures leave nothing behind. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../../../tests/server.ts'
import { type Client, createClient } from './client.ts'
import { createDatasetWithSettings, type DatasetDescription } from './datasets.ts'
import { deleteRecordsInChunks, iterateRecords, writeRecords } from './records.ts'
import { submitResponses } from './responses.ts'

/** More than a unit test has: on a busy machine a server takes long to start. */
const SERVER_START_MS = 90_000

let server: StartedServer
let client: Client
beforeAll(async () => {
  server = await startServer()
  client = createClient({ url: server.url, apiKey: server.apiKey })
}, SERVER_START_MS)
afterAll(() => server?.close())

const description = (name: string): DatasetDescription => ({
  workspace: server.workspace,
  name,
  guidelines: 'Read twice.',
  fields: [
    { name: 'text', required: true, settings: { type: 'text' } },
    { name: 'note', title: 'A note', settings: { type: 'text' } },
  ],
  questions: [{ name: 'rating', required: true, settings: { type: 'rating', options: [{ value: 1 }, { value: 2 }] } }],
  metadata_properties: [{ name: 'length', settings: { type: 'integer' } }],
  vectors_settings: [{ name: 'embed', dimensions: 2 }],
})

const listNames = async () => (await client.listMyDatasets()).items.map(({ name }) => name)

test('a dataset is created with its settings in order, and published', async () => {
  const made = await createDatasetWithSettings(client, description('whole'))
  expect(made.dataset).toMatchObject({ name: 'whole', status: 'ready', guidelines: 'Read twice.' })
  const params = { dataset_id: made.dataset.id }
  expect((await client.listFields({ params })).items).toEqual(made.fields)
  expect(made.fields.map(({ name, title }) => [name, title])).toEqual([
    ['text', 'text'],
    ['note', 'A note'],
  ])
  expect((await client.listQuestions({ params })).items).toEqual(made.questions)
  expect((await client.listMetadataProperties({ params })).items).toEqual(made.metadata_properties)
  expect((await client.listVectorsSettings({ params })).items).toEqual(made.vectors_settings)
})

test('the workspace may be given by id', async () => {
  const { dataset } = await createDatasetWithSettings(client, description('first'))
  const again = await createDatasetWithSettings(client, { ...description('second'), workspace: dataset.workspace_id })
  expect(again.dataset.workspace_id).toBe(dataset.workspace_id)
})

test('when a setting is refused or publishing fails, no draft is left', async () => {
  const twice = description('twice')
  twice.questions.push(...twice.questions)
  await expect(createDatasetWithSettings(client, twice)).rejects.toMatchObject({ code: 'not_unique' })
  await expect(createDatasetWithSettings(client, { ...description('bare'), fields: [] })).rejects.toMatchObject({
    code: 'unprocessable',
  })
  const names = await listNames()
  expect(names).not.toContain('twice')
  expect(names).not.toContain('bare')
})

test('a workspace that is not there is named, with those that are', async () => {
  const nowhere = { ...description('nowhere'), workspace: 'elsewhere' }
  await expect(createDatasetWithSettings(client, nowhere)).rejects.toMatchObject({
    code: 'not_found',
    message: '`elsewhere` is not a workspace of this user. Workspaces: `default`',
  })
})

test('records are written, changed, responded to, iterated and deleted', async () => {
  const { dataset } = await createDatasetWithSettings(client, description('busy'))
  const records = Array.from({ length: 25 }, (_, row) => ({ external_id: `row-${row}`, fields: { text: `text ${row}` } }))
  expect(await writeRecords(client, dataset.id, records.slice(0, 15), { batchSize: 10 })).toEqual({ created: 15, updated: 0 })
  expect(await writeRecords(client, dataset.id, records, { batchSize: 10 })).toEqual({ created: 10, updated: 15 })

  const stored = await Array.fromAsync(iterateRecords(client, dataset.id, { pageSize: 10 }))
  expect(stored.map(({ external_id }) => external_id)).toEqual(records.map(({ external_id }) => external_id))

  const responses = stored.map(({ id }, row) => {
    return { record_id: id, status: 'submitted', values: { rating: { value: row === 7 ? 9 : 1 } } } as const
  })
  const submitted = await submitResponses(client, responses, { batchSize: 5 })
  expect(submitted.responses.length).toBe(24)
  expect(submitted.failures).toMatchObject([{ index: 7, detail: expect.stringContaining('rating') }])

  const ids = stored.map(({ id }) => id)
  expect(await deleteRecordsInChunks(client, dataset.id, ids.slice(1), { batchSize: 10 })).toBe(24)
  expect((await client.listRecords({ params: { dataset_id: dataset.id } })).total).toBe(1)
})

test('a refused record is named by its position among all that were given', async () => {
  const { dataset } = await createDatasetWithSettings(client, description('refused'))
  const records = Array.from({ length: 8 }, (_, row) => ({ fields: row === 6 ? { note: 'no text' } : { text: 'text' } }))
  await expect(writeRecords(client, dataset.id, records, { batchSize: 4 })).rejects.toMatchObject({
    code: 'unprocessable',
    at: ['items', 6, 'fields'],
  })
  expect((await client.listRecords({ params: { dataset_id: dataset.id } })).total).toBe(4)
})

test('errors of the real server come back as they were thrown', async () => {
  const stranger = createClient({ url: server.url, apiKey: 'wrong' })
  await expect(stranger.getMe()).rejects.toMatchObject({ name: 'DomainError', code: 'unauthenticated' })
  await expect(client.getDataset({ params: { dataset_id: 'no uuid' } })).rejects.toMatchObject({
    problems: [{ type: 'uuid_parsing', loc: ['path', 'dataset_id'] }],
  })
  await expect(client.createWorkspace({ body: { name: server.workspace } })).rejects.toMatchObject({ code: 'not_unique' })
})
