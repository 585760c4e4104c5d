/** Changes that happen after a search thread found the records of a bulk job and before the writer starts it. */
import type { AddressInfo } from 'node:net'
import { CONTRACTS } from '@postil/domain/api/all'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Id } from '@postil/domain/schema'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { buildApp } from '../../http/app.ts'
import { createRunCall } from '../../http/run-call.ts'
import { ROUTES } from '../all.ts'
import { deleteDataset } from '../datasets/delete.ts'
import { openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { deleteRecord } from '../records/delete.ts'
import { deleteUser } from '../users/delete.ts'
import { listBulkJobs } from './read.ts'
import { addBulkDataset, addRecords, type BulkDataset, plain, respond, responsesOf, runJobs } from './testing/bulk.ts'

let team: TestTeam
let me: RequestContext
let dataset: BulkDataset
let recordIds: Id[]
let app: FastifyInstance
let url: string
/** Runs once, after the records are found and before the writer is called. */
let between: () => Promise<unknown>

beforeEach(async () => {
  team = await openTestTeam()
  me = team.annotator
  dataset = await addBulkDataset(team)
  recordIds = await addRecords(team, dataset, plain(3))
  between = async () => {}
  const runCall = createRunCall(ROUTES)
  app = buildApp(
    team.ctx,
    CONTRACTS,
    async ({ id }, call) => {
      if (id === 'startBulkJob') {
        const happening = between
        between = async () => {}
        await happening()
      }
      return runCall(team.ctx, call)
    },
    { webFolder: '/nowhere' },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await app.close()
  await team.ctx.close()
})

async function keyOf({ actor, apiKeys, db }: RequestContext): Promise<string> {
  const row = await db.sql.get<{ key: string }>('select api_key_encrypted as key from users where id = ?', [actor.id])
  return apiKeys.decrypt(row?.key ?? '')
}

async function post(given: object = {}, signal: AbortSignal | null = null) {
  const response = await fetch(`${url}/api/v1/me/datasets/${dataset.id}/responses/by-filter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-argilla-api-key': await keyOf(me) },
    body: JSON.stringify({ query: {}, action: respond(), expected_total: 3, ...given }),
    signal,
  })
  return { status: response.status, body: (await response.json()) as BulkJob }
}

const countJobs = async () => (await team.ctx.db.sql.all('select id from bulk_jobs')).length

const REFUSED: [what: string, happens: () => Promise<unknown>, status: number][] = [
  ['a record is deleted', () => deleteRecord(team.owner, recordIds[1] ?? ''), 409],
  ['the dataset is deleted', () => deleteDataset(team.owner, dataset.id), 404],
  [
    'the caller leaves the workspace',
    () => team.ctx.db.sql.run('delete from workspaces_users where user_id = ?', [me.actor.id]),
    403,
  ],
  ['the caller is deleted', () => deleteUser(team.owner, me.actor.id), 403],
]

test.each(REFUSED)('%s: no job is started', async (_what, happens, status) => {
  between = happens
  expect((await post()).status).toBe(status)
  expect(await countJobs()).toBe(0)
})

test('a record is added that would match: the job is about those that were found', async () => {
  between = () => addRecords(team, dataset, plain(2))
  const { status, body } = await post()
  expect([status, body.total]).toEqual([202, 3])
  await runJobs(me)
  expect([...(await responsesOf(me, dataset.id)).keys()].toSorted()).toEqual(recordIds.toSorted())
})

test('records that are named may be deleted: they fail when their turn comes', async () => {
  between = () => deleteRecord(team.owner, recordIds[1] ?? '')
  const { status } = await post({ query: null, record_ids: recordIds })
  await runJobs(me)
  const [job] = (await listBulkJobs(me, dataset.id)).items
  expect([status, job?.status, job?.done, job?.failed]).toEqual([202, 'finished', 2, 1])
})

test('the same request is sent again: both are answered with one job', async () => {
  const write_id = me.newId()
  let first: Awaited<ReturnType<typeof post>> | null = null
  between = async () => {
    first = await post({ write_id })
  }
  const second = await post({ write_id })
  expect(second).toEqual(first)
  expect([second.status, await countJobs()]).toEqual([202, 1])
})

test('the caller closes the connection: the job is started all the same, and a repeated request is answered with it', async () => {
  const write_id = me.newId()
  const leaving = new AbortController()
  const isClosed = new Promise(resolve => app.server.once('connection', socket => socket.once('close', resolve)))
  between = async () => {
    leaving.abort()
    await isClosed
  }
  await expect(post({ write_id }, leaving.signal)).rejects.toThrow()
  await expect.poll(countJobs).toBe(1)
  const again = await post({ write_id })
  expect([again.status, again.body.total, await countJobs()]).toEqual([202, 3, 1])
})
