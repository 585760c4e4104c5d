/** A server of an older release on a database that a newer one has migrated, according to docs/guide/operate.md. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOn } from '../../packages/server/src/testing/postgres-server.ts'
import { usePostgres } from '../databases/use-postgres.ts'
import { type StartedServer, startServer } from '../server.ts'

let home: string
const postgres = usePostgres()
let databaseUrl: string
let server: StartedServer
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'postil-upgrade-'))
  databaseUrl = await postgres.newDatabase()
  server = await startServer({ home, env: { SERVICE_DATABASE_URL: databaseUrl } })
})
afterAll(async () => {
  await server?.close()
  await rm(home, { recursive: true, force: true })
})

async function api<T>(request: string, body?: unknown): Promise<T> {
  const [method = '', path = ''] = request.split(' ')
  const headers = { 'X-Argilla-Api-Key': server.apiKey, 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  if (answer.status > 299) throw new Error(`${request} -> ${answer.status} ${await answer.text()}`)
  return (answer.status === 204 ? null : await answer.json()) as T
}

interface Listed {
  items: { id: string }[]
}

async function addDataset(name: string): Promise<string> {
  const [workspace] = (await api<Listed>('GET /me/workspaces')).items
  const { id } = await api<{ id: string }>('POST /datasets', { name, workspace_id: workspace?.id })
  await api(`POST /datasets/${id}/fields`, { name: 'text', title: 'T', required: true, settings: { type: 'text' } })
  const settings = { type: 'rating', options: [{ value: 1 }, { value: 2 }] }
  await api(`POST /datasets/${id}/questions`, { name: 'q', title: 'Q', required: true, settings })
  await api(`PUT /datasets/${id}/publish`)
  return id
}

/** Writes and reads typical data; after the first call with already prepared statements. */
async function work(id: string, word: string): Promise<number> {
  const items = Array.from({ length: 5 }, (_, index) => ({ fields: { text: `${word} ${index}` } }))
  const made = await api<Listed>(`POST /datasets/${id}/records/bulk`, { items })
  const answer = { status: 'submitted', values: { q: { value: 1 } } }
  await api('POST /me/responses/bulk', { items: made.items.map(record => ({ record_id: record.id, ...answer })) })
  await api(`GET /datasets/${id}/records?include=responses`)
  await api('GET /users')
  return (await api<{ total: number }>(`POST /me/datasets/${id}/records/search`, { query: { text: { q: word } } })).total
}

test('goes on after tables, columns and a revision were added that it does not know', async () => {
  const id = await addDataset('before')
  expect(await work(id, 'before')).toBe(5)
  const tables = [
    'users',
    'workspaces',
    'datasets',
    'fields',
    'questions',
    'records',
    'record_fields',
    'responses',
    'jobs',
    'changes',
  ]
  for (const table of tables) {
    await runOn(databaseUrl, `alter table ${table} add column later_text text`)
    await runOn(databaseUrl, `alter table ${table} add column later_number integer not null default 7`)
  }
  await runOn(databaseUrl, 'create table later (id text primary key)')
  await runOn(databaseUrl, "insert into revisions (name, applied_at) values ('9999', '')")
  for (let round = 0; round < 3; round++) expect(await work(id, `after${round}`)).toBe(5)
  expect(await work(await addDataset('after'), 'other')).toBe(5)
  const ready = await fetch(`${server.url}/api/v1/health/ready`)
  expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready', checks: { schema: 'newer' } }])
})

test('does not start on it, and says why', async () => {
  await server.close()
  const start = startServer({ home, env: { SERVICE_DATABASE_URL: databaseUrl } })
  await expect(start).rejects.toThrow('revision 9999, which this release does not know')
})
