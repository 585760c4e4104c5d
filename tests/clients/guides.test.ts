/** The Python programs in the README and the guides, run unchanged with the public SDK against a real server. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareReadmeSdk } from '../../scripts/python-sdk.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { readBlocks, runPython, runWithSdk } from './guide-blocks.ts'
import { call } from './webhook-events.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const openFolder = openFolders()
let server: StartedServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

const readProgram = (path: string) => readBlocks(path, 'python')[0] ?? ''

interface Found {
  external_id: string
  fields: Record<string, unknown>
  suggestions: { value: unknown; score: number | null; agent: string | null }[]
}

async function readRecords(name: string): Promise<Found[]> {
  const datasets: { id: string; name: string }[] = (await call(server, 'GET', '/me/datasets')).items
  const id = datasets.find(dataset => dataset.name === name)?.id
  const records: Found[] = (await call(server, 'GET', `/datasets/${id}/records?include=suggestions`)).items
  return records.sort((a, b) => a.external_id.localeCompare(b.external_id))
}

/** The first time, packages are installed from the registry. */
const INSTALL_MS = 400_000

test(
  'README.md: a dataset with two records, with the SDK installed by its line',
  async () => {
    const sdk = prepareReadmeSdk(ROOT)
    if ('reason' in sdk) throw new Error(sdk.reason)
    const program = readProgram('README.md')
      .replace('http://127.0.0.1:6900', server.url)
      .replace('…the key that was printed…', server.apiKey)
      .replace('"reviews"', '"from-the-readme"')
    await runPython(program, { cwd: openFolder(), env: {}, python: sdk.python })
    expect((await readRecords('from-the-readme')).map(({ fields }) => fields.text).sort()).toEqual([
      'A lovely evening.',
      'The soup was cold.',
    ])
  },
  INSTALL_MS,
)

test('programs.md: suggestions go in, and answers come out', async () => {
  const env = { POSTIL_URL: server.url, POSTIL_API_KEY: server.apiKey }
  await runWithSdk(readProgram('docs/guide/programs.md'), { cwd: openFolder(), env })
  expect((await readRecords('reviews')).map(({ suggestions }) => suggestions)).toMatchObject([
    [{ value: 'bad', score: 0.9, agent: 'model-1' }],
    [{ value: 'good', score: 0.8, agent: 'model-1' }],
  ])
})
