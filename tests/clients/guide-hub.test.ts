/** The commands and the program of docs/guide/hub.md, run unchanged with a hub on loopback. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toParquet } from '../contract/hub-world.ts'
import { type LoopbackHub, openHub } from '../hub/server.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { readBlocks, runPython, runShell } from './guide-blocks.ts'
import { call } from './webhook-events.ts'

const TOKEN = 'hf_write'
const openFolder = openFolders()
let hub: LoopbackHub
let server: StartedServer

beforeAll(async () => {
  hub = await openHub({ accounts: { [TOKEN]: { name: 'ann', organizations: ['org'] } } })
  server = await startServer({ env: { SERVICE_HUB_URL: hub.url, SERVICE_HUB_TOKEN: TOKEN } })
})
afterAll(async () => {
  await server?.close()
  await hub?.close()
})

async function createDataset(): Promise<string> {
  const { items } = await call(server, 'GET', '/me/workspaces')
  const { id } = await call(server, 'POST', '/datasets', { name: 'reviews', workspace_id: items[0].id })
  const add = (kind: string, name: string, settings: object, required = {}) =>
    call(server, 'POST', `/datasets/${id}/${kind}`, { name, title: name, settings, ...required })
  await add('fields', 'text', { type: 'text' }, { required: true })
  const options = ['good', 'bad'].map(value => ({ value, text: value }))
  await add('questions', 'mood', { type: 'label_selection', options }, { required: true })
  await add('metadata-properties', 'source', { type: 'terms' })
  await call(server, 'PUT', `/datasets/${id}/publish`)
  return id
}

test('hub.md: a dataset of the hub comes in, and the result goes out and is loaded again', async () => {
  const columnData = [
    { name: 'row_id', data: ['a', 'b'] },
    { name: 'sentence', data: ['The soup was cold.', 'A lovely evening.'] },
    { name: 'origin', data: ['web', 'mail'] },
    { name: 'label', data: ['bad', 'good'] },
  ]
  hub.put('org/data', { 'data/train-00000-of-00001.parquet': toParquet({ columnData }) })
  const [importRows = '', push = ''] = readBlocks('docs/guide/hub.md', 'sh')
  const [load = ''] = readBlocks('docs/guide/hub.md', 'python')
  const cwd = openFolder()
  const env = { POSTIL_URL: server.url, POSTIL_API_KEY: server.apiKey, DATASET_ID: await createDataset() }
  const untilFinished = async (job: string) => {
    const { id } = JSON.parse(job)
    await expect.poll(async () => (await call(server, 'GET', `/jobs/${id}`)).status, { timeout: 60_000 }).toBe('finished')
  }

  await untilFinished(await runShell(importRows, { cwd, env }))
  await untilFinished(await runShell(push.replace('hf_…', TOKEN), { cwd, env }))
  const print = 'print(sorted(zip(dataset["id"], dataset["text"], dataset["mood.suggestion"])))'
  const loaded = await runPython(`${load}\n${print}`, { cwd, env: { HF_ENDPOINT: hub.url, HF_TOKEN: TOKEN } })
  expect(loaded).toBe("[('a', 'The soup was cold.', 'bad'), ('b', 'A lovely evening.', 'good')]\n")
})
