/**
 * `npm run bench:attacks`: the effect of attacks on another user.
 *
 * For each attack: times of small reads, record pages and submits of another user, and the server's memory.
 * Options: `--records 20000`, `--seconds 8` for each attack, `--only <part of a name>`, `--json <file>`.
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type StartedServer, startServer } from '../server.ts'
import { ATTACKS, type AttackName, type AttackTarget } from './attack-plans.ts'
import type { AttackOrder } from './attack-worker.ts'
import { LABELS } from './corpus.ts'
import { createMeasuredDataset, ingest, listRecordIds } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, quantiles } from './measure.ts'
import { memoryMb } from './processor.ts'
import { printRows } from './report.ts'

/** Limits for the user who is not attacking. */
const READ_P95_MS_MAX = 100
const SUBMIT_P95_MS_MAX = 200
const PAUSE_MS = 20

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
})
const records = Number(options.records)
const milliseconds = Number(options.seconds) * 1000

interface Times {
  read: number[]
  page: number[]
  submit: number[]
}

interface Result {
  attack: string
  read_p95_ms: number
  page_p95_ms: number
  submit_p95_ms: number
  submits: number
  memory_mb: number
}

interface Victim {
  url: string
  apiKey: string
  datasetId: string
  recordIds: string[]
}

const server = await startServer()
try {
  const { victim, target } = await prepare(server)
  const names = (Object.keys(ATTACKS) as AttackName[]).filter(name => name.includes(options.only))
  const results: Result[] = []
  for (const name of ['nothing', ...names] as const) {
    process.stderr.write(`${name} …\n`)
    const until = Date.now() + milliseconds
    const attack = name === 'nothing' ? pause(milliseconds) : runAttack({ name, target, until })
    const times = await measureVictim(victim, until)
    await attack
    results.push(toResult(name, times))
    // Lets the effects of the attack end before the next one starts.
    await pause(2_000)
  }
  print(results)
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results))
} finally {
  await server.close()
}

function runAttack(order: AttackOrder): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./attack-worker.ts', import.meta.url), { workerData: order })
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })
}

/** A small read, a record page and a submit in turn, each with a pause, like the browser of a user. */
async function measureVictim(victim: Victim, until: number): Promise<Times> {
  const times: Times = { read: [], page: [], submit: [] }
  const { url, apiKey, datasetId, recordIds } = victim
  const run = async (kind: keyof Times, send: (index: number) => { method: string; path: string; body?: string }) => {
    const connection = await openConnection(url, apiKey)
    for (let i = 0; Date.now() < until; i++) {
      const { method, path, body } = send(i)
      const start = performance.now()
      check(await connection.send(method, path, body))
      times[kind].push(performance.now() - start)
      await pause(PAUSE_MS)
    }
    connection.close()
  }
  await Promise.all([
    run('read', i => ({ method: 'GET', path: i % 2 ? '/api/v1/status' : `/api/v1/datasets/${datasetId}` })),
    run('page', i => ({ method: 'GET', path: `/api/v1/me/datasets/${datasetId}/records?limit=10&offset=${i % 100}` })),
    run('submit', () => {
      const body = { items: [{ record_id: recordIds.pop() ?? '', status: 'submitted', values: { topic: { value: LABELS[0] } } }] }
      return { method: 'POST', path: '/api/v1/me/responses/bulk', body: JSON.stringify(body) }
    }),
  ])
  return times
}

function toResult(attack: string, { read, page, submit }: Times): Result {
  const p95 = (times: number[]) => quantiles(times).p95_ms
  return {
    attack,
    read_p95_ms: p95(read),
    page_p95_ms: p95(page),
    submit_p95_ms: p95(submit),
    submits: submit.length,
    memory_mb: memoryMb(server.pid).now,
  }
}

function print(results: readonly Result[]): void {
  const head = ['attack', 'small read p95', 'page p95', 'submit p95', 'submits', 'memory MB']
  const mark = (ms: number, max: number) => `${ms.toFixed(1)} ms${ms > max ? ' (!)' : ''}`
  const rows = results.map(result => [
    result.attack,
    mark(result.read_p95_ms, READ_P95_MS_MAX),
    mark(result.page_p95_ms, Number.POSITIVE_INFINITY),
    mark(result.submit_p95_ms, SUBMIT_P95_MS_MAX),
    String(result.submits),
    result.memory_mb.toFixed(0),
  ])
  printRows([head, ...rows])
  process.stdout.write(`\n(!) over ${READ_P95_MS_MAX} ms for a small read or ${SUBMIT_P95_MS_MAX} ms for a submit\n`)
}

async function prepare(started: StartedServer): Promise<{ victim: Victim; target: AttackTarget }> {
  const { url, apiKey } = started
  process.stderr.write(`filling ${records} records …\n`)
  const dataset = await createMeasuredDataset(started)
  await ingest(started, dataset, 0, records, 2)
  const connection = await openConnection(url, apiKey)
  const call = async <T>(method: string, path: string, body?: object): Promise<T> =>
    JSON.parse(
      check(await connection.send(method, `/api/v1${path}`, body && JSON.stringify(body))).body.toString() || 'null',
    ) as T
  const { workspace_id } = await call<{ workspace_id: string }>('GET', `/datasets/${dataset.id}`)
  const addUser = async (username: string, role: string, isMember: boolean) => {
    const user = { username, first_name: username, role, password: 'a long password' }
    const { id, api_key } = await call<{ id: string; api_key: string }>('POST', '/users', user)
    if (isMember) await call('POST', `/workspaces/${workspace_id}/users`, { user_id: id })
    return api_key
  }
  const recordIds = await listRecordIds(started, dataset.id, Math.min(records, 10_000))
  const victim = { url, apiKey: await addUser('victim', 'annotator', true), datasetId: dataset.id, recordIds }
  const keys = {
    outsider: await addUser('outsider', 'annotator', false),
    memberAdmin: await addUser('member-admin', 'admin', true),
    memberAnnotator: await addUser('member', 'annotator', true),
  }
  connection.close()
  return { victim, target: { url, datasetId: dataset.id, keys } }
}
