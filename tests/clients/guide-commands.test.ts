/** The shell commands and short Python programs of the guides, run unchanged against a real server. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparePythonEnvironment } from '../../scripts/python-environment.ts'
import { MAIN } from '../main-file.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { readBlocks, runPython, runShell, runWithSdk } from './guide-blocks.ts'
import { call } from './webhook-events.ts'

/** The first run installs spaCy. */
const INSTALL_TIMEOUT_MS = 600_000

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const openFolder = openFolders()
let server: StartedServer
let datasetId: string

const CHOICES = ['good', 'bad'].map(value => ({ value, text: value }))
const TEXT = 'Ada wrote it.'

beforeAll(async () => {
  server = await startServer()
  const { items } = await call(server, 'GET', '/me/workspaces')
  const { id } = await call(server, 'POST', '/datasets', { name: 'reviews', workspace_id: items[0].id })
  datasetId = id
  const add = (kind: string, name: string, settings: object) =>
    call(server, 'POST', `/datasets/${id}/${kind}`, { name, title: name, required: name !== 'people', settings })
  await add('fields', 'text', { type: 'text' })
  await add('questions', 'mood', { type: 'label_selection', options: CHOICES })
  await add('questions', 'people', { type: 'span', field: 'text', options: [{ value: 'PER', text: 'PER' }] })
  await call(server, 'PUT', `/datasets/${id}/publish`)
  const values = { mood: { value: 'good' }, people: { value: [{ start: 0, end: 3, label: 'PER' }] } }
  const { items: records } = await call(server, 'POST', `/datasets/${id}/records/bulk`, { items: [{ fields: { text: TEXT } }] })
  await call(server, 'POST', `/records/${records[0].id}/responses`, { values, status: 'submitted' })
})
afterAll(() => server?.close())

const environment = () => ({ POSTIL_URL: server.url, POSTIL_API_KEY: server.apiKey, DATASET_ID: datasetId })

const shell = (script: string, env: Record<string, string> = {}) =>
  runShell(script, { cwd: openFolder(), env: { ...environment(), ...env } })
const python = (program: string, cwd = openFolder()) => runWithSdk(program, { cwd, env: environment() })

test('accounts.md: a user from its creation to its deletion', async () => {
  const [, create = '', reset = '', deactivate = '', remove = ''] = readBlocks('docs/guide/accounts.md', 'sh')
  const lena = JSON.parse(await shell(create))
  expect(lena).toMatchObject({ username: 'lena', role: 'annotator' })
  const env = { USER_ID: lena.id }
  expect(await shell(reset, env)).toContain('"api_key"')
  // The first of the two answers has the time, the second does not.
  const [deactivated, reactivated] = (await shell(deactivate, env)).split('}{')
  expect(deactivated).toContain('"deactivated_at":"')
  expect(reactivated).not.toContain('"deactivated_at":"')
  await shell(remove, env)

  await python(readBlocks('docs/guide/accounts.md', 'python').join('\n'))
  const { items } = await call(server, 'GET', '/users')
  expect(items.map(({ username }: { username: string }) => username).sort()).toEqual(['mori', server.username])
})

test('audit-log.md: what happened in the last week', async () => {
  const [read = ''] = readBlocks('docs/guide/audit-log.md', 'sh')
  expect(JSON.parse(await shell(read))).toMatchObject({ items: [] })
  expect(JSON.parse(await shell(read.replace('user.sign_in_failed', 'user.created'))).items.length).toBeGreaterThan(0)
})

test('change-feed.md: the first changes of a dataset', async () => {
  const [read = ''] = readBlocks('docs/guide/change-feed.md', 'sh')
  expect(JSON.parse(await shell(read)).items[0]).toMatchObject({ change_no: expect.any(Number), event: expect.any(String) })
})

async function exportTo(path: string, startCommand: string): Promise<void> {
  const { id } = JSON.parse(await shell(startCommand))
  await expect.poll(async () => (await call(server, 'GET', `/exports/${id}`)).status, { timeout: 60_000 }).toBe('finished')
  const response = await fetch(`${server.url}/api/v1/exports/${id}/file`, { headers: { 'x-argilla-api-key': server.apiKey } })
  writeFileSync(path, Buffer.from(await response.arrayBuffer()))
}

test(
  'export.md: a CSV file, and spans that spaCy reads',
  async () => {
    const [start = ''] = readBlocks('docs/guide/export.md', 'sh')
    const folder = openFolder()
    await exportTo(join(folder, 'reviews.csv'), start)
    expect(readFileSync(join(folder, 'reviews.csv'), 'utf8')).toContain(TEXT)

    await exportTo(join(folder, 'reviews-spacy.jsonl'), start.replace('"csv"', '"spacy"'))
    const spacy = preparePythonEnvironment(ROOT, { name: 'spaCy', folder: '.cache/python-spacy', requirements: ['spacy==3.8.*'] })
    if ('reason' in spacy) throw new Error(spacy.reason)
    const print = 'print([(e.text, e.label_) for d in docs.get_docs(nlp.vocab) for e in d.ents])'
    const program = readBlocks('docs/guide/export.md', 'python').join('\n')
    expect(await runPython(`${program}\n${print}`, { cwd: folder, env: {}, python: spacy.python })).toBe("[('Ada', 'PER')]\n")
  },
  INSTALL_TIMEOUT_MS,
)

test('lead.md: records with responses as a JSON file', async () => {
  const folder = openFolder()
  await python(readBlocks('docs/guide/lead.md', 'python').join('\n'), folder)
  expect(readFileSync(join(folder, 'reviews.json'), 'utf8')).toContain(TEXT)
})

test('webhooks.md: a webhook by curl and by the SDK, and a ping', async () => {
  const [create = '', ping = ''] = readBlocks('docs/guide/webhooks.md', 'sh')
  const webhook = JSON.parse(await shell(create))
  expect(webhook.events).toEqual(['record.completed', 'dataset.published'])
  // Its host does not exist, and the answer says so.
  await expect(shell(ping, { WEBHOOK_ID: webhook.id })).rejects.toMatchObject({
    stdout: expect.stringContaining('The ping could not be delivered'),
  })

  const [sdk = ''] = readBlocks('docs/guide/webhooks.md', 'python')
  const secret = (await python(sdk)).trim()
  const { items } = await call(server, 'GET', '/webhooks')
  expect(items.map((item: { secret: string }) => item.secret)).toEqual([webhook.secret, secret])
})

test('operate.md and telemetry.md: commands of an operator', async () => {
  const folder = openFolder()
  const env = { SERVICE_HOME_PATH: server.home, ...server.env }
  const run = (script: string) => shell(`postil() { "${process.execPath}" "${MAIN}" "$@"; }\n${script}`, env)
  const [backup = '', migrate = ''] = readBlocks('docs/guide/operate.md', 'sh')
  // On PostgreSQL it needs client programs of the same version; tests/cli has them.
  if (server.databaseUrl === null) await run(backup.replaceAll('/backups', folder))
  // The migrations themselves need a server that is stopped; tests/cli runs them.
  const [revisions = ''] = migrate.split('\n')
  expect(await run(revisions)).toContain('0003')
  const [show = ''] = readBlocks('docs/guide/telemetry.md', 'sh')
  expect(await run(show)).toContain('Nothing is sent')
})
