import type { BulkRequest } from '@postil/domain/bulk-jobs'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { openJobRunner } from '../../jobs/worker.ts'
import { readChanges } from '../../storage/changes.ts'
import { openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { getJob } from '../jobs/get.ts'
import { countRecords } from '../records/store.ts'
import { cancelBulkJob } from './cancel.ts'
import { getBulkJob, listBulkJobs } from './read.ts'
import {
  addBulkDataset,
  addRecords,
  answer,
  askForBulk,
  type BulkDataset,
  plain,
  respond,
  responsesOf,
  runBulk,
  runJobs,
} from './testing/bulk.ts'

const BULK_MAX = 1100

let team: TestTeam
let me: RequestContext
let dataset: BulkDataset
beforeAll(async () => {
  team = await openTestTeam({ SERVICE_BULK_MAX_RECORDS: String(BULK_MAX) })
  me = team.annotator
})
beforeEach(async () => {
  dataset = await addBulkDataset(team)
})
afterAll(() => team.ctx.close())

const ask = (request: Partial<BulkRequest>, ctx = me) =>
  askForBulk(ctx, dataset.id, { query: {}, action: respond(), expected_total: 1, ...request })

/** Lists the entries of the dataset's change log caused by a user. */
async function listEntriesOf(userId: Id) {
  const read = await readChanges(team.ctx.db, dataset.id, 0, 100)
  return read.kind === 'changes' ? read.changes.filter(({ actor_id }) => actor_id === userId) : []
}

const text = (q: string) => ({ query: { text: { q } } })

describe('a bulk job', () => {
  test('answers all that match and nothing else, in pieces, as single responses would', async () => {
    await addRecords(team, dataset, [...plain(250), ...plain(5, 'pear')])
    const from = team.ctx.events.length
    const job = await runBulk(me, dataset.id, { query: text('apple'), response_status: 'pending', expected_total: 250 })
    expect(job).toEqual({
      id: job.id,
      dataset_id: dataset.id,
      type: 'respond',
      response_status: 'submitted',
      status: 'finished',
      total: 250,
      done: 250,
      failed: 0,
      failures: [],
      undoes: null,
      undone_by: null,
      undone: false,
      inserted_at: expect.any(String),
      finished_at: expect.any(String),
    })
    const responses = await responsesOf(me, dataset.id)
    expect(responses.size).toBe(250)
    expect([...responses.values()].every(({ status }) => status === 'submitted')).toBe(true)
    expect(await countRecords(team.ctx.db, dataset.id)).toEqual({ records: 255, completed: 250 })
    const values = new Set(Array.from(responses.values(), response => JSON.stringify(response.values)))
    expect([...values]).toEqual(['{"mood":{"value":"good"}}'])

    const told = team.ctx.events.slice(from).map(({ name, payload }) => [name, Object.values(payload).at(-1).length])
    const piece = (size: number) => [
      ['record.updated', size],
      ['record.completed', size],
      ['response.created', size],
    ]
    expect(told).toEqual([...piece(100), ...piece(100), ...piece(50)])
    const logged = (await listEntriesOf(me.actor.id)).map(({ event, record_nos }) => [event, record_nos.length])
    expect(logged).toEqual(told)
    expect(await getJob(team.owner, job.id)).toEqual({ id: job.id, status: 'finished' })
  })

  test('leaves out exceptions, or takes the records it is told', async () => {
    const [first = '', second = '', third = ''] = await addRecords(team, dataset, plain(3))
    await runBulk(me, dataset.id, { query: {}, except_record_ids: [second], expected_total: 2 })
    expect([...(await responsesOf(me, dataset.id)).keys()].toSorted()).toEqual([first, third].toSorted())
    const job = await runBulk(me, dataset.id, { record_ids: [second, second], expected_total: 1 })
    expect(job).toMatchObject({ total: 1, done: 1 })
    expect((await responsesOf(me, dataset.id)).size).toBe(3)
  })

  test('counts records that cannot take the answer, with the reasons', async () => {
    const [first = ''] = await addRecords(team, dataset, plain(1))
    const other = await addBulkDataset(team)
    const [foreign = ''] = await addRecords(team, other, plain(1))
    const job = await runBulk(me, dataset.id, { record_ids: [first, foreign] })
    expect(job).toMatchObject({ status: 'finished', total: 2, done: 1, failed: 1 })
    expect(job.failures).toEqual([
      { record_id: foreign, reason: expect.stringContaining('not found'), code: 'not_found', at: [] },
    ])
    const wrong = await runBulk(me, dataset.id, { query: {}, action: respond('awful') })
    expect(wrong).toMatchObject({
      done: 0,
      failed: 1,
      failures: [{ record_id: first, reason: expect.stringContaining('mood'), at: ['values', 'mood', 'value'] }],
    })
  })

  test('keeps the answers to other questions, unless told not to', async () => {
    const [id = ''] = await addRecords(team, dataset, plain(1))
    const comment = { comment: { value: 'mine' } }
    await answer(me, id, { status: 'draft', values: { ...comment, mood: { value: 'bad' } } })
    const values = async () => (await responsesOf(me, dataset.id)).get(id)?.values
    await runBulk(me, dataset.id, { query: {}, response_status: 'draft' })
    expect(await values()).toEqual({ ...comment, mood: { value: 'good' } })
    await runBulk(me, dataset.id, { query: {}, merge: false })
    expect(await values()).toEqual({ mood: { value: 'good' } })
  })

  test('accepts suggestions that are good enough', async () => {
    const suggest = (value: string, score: number | null) => ({ suggestions: [{ question_id: dataset.moodId, value, score }] })
    const [high = '', low = '', none = ''] = await addRecords(team, dataset, [suggest('bad', 0.9), suggest('bad', 0.5), {}])
    const questions = [{ name: 'mood', min_score: 0.8 }]
    const action = { type: 'accept_suggestions', questions, status: 'submitted' } as const
    const job = await runBulk(me, dataset.id, { query: {}, action, expected_total: 3 })
    expect(job).toMatchObject({ type: 'accept_suggestions', done: 1, failed: 2 })
    expect(job.failures.map(({ record_id }) => record_id).toSorted()).toEqual([low, none].toSorted())
    const responses = await responsesOf(me, dataset.id)
    expect([responses.size, responses.get(high)?.values]).toEqual([1, { mood: { value: 'bad' } }])
  })

  test('returns records to pending, and has nothing to do where there is no response', async () => {
    const ids = await addRecords(team, dataset, plain(2))
    await answer(me, ids[0] as Id, { status: 'submitted', values: { mood: { value: 'good' } } })
    const job = await runBulk(me, dataset.id, { record_ids: ids, action: { type: 'return_to_pending' } })
    expect(job).toMatchObject({ type: 'return_to_pending', response_status: null, done: 2, failed: 0 })
    expect((await responsesOf(me, dataset.id)).size).toBe(0)
    expect(await countRecords(team.ctx.db, dataset.id)).toEqual({ records: 2, completed: 0 })
  })
})

describe('asking for a bulk job', () => {
  test('says when there are more or fewer records than expected, and does nothing', async () => {
    await addRecords(team, dataset, plain(3))
    for (const expected_total of [2, 4]) await expect(ask({ expected_total })).rejects.toMatchObject({ code: 'conflict' })
    await expect(ask({ query: text('pear') })).rejects.toMatchObject({ code: 'conflict' })
    expect((await listBulkJobs(me, dataset.id)).items).toEqual([])
  })

  test('names both figures when there are too many', async () => {
    await addRecords(team, dataset, plain(BULK_MAX + 1))
    const refusal = { code: 'unprocessable', message: expect.stringMatching(/^1101 records.*at most 1100 /) }
    await expect(ask({ expected_total: BULK_MAX + 1 })).rejects.toMatchObject(refusal)
    const record_ids = Array.from({ length: BULK_MAX + 1 }, () => me.newId())
    await expect(ask({ query: null, record_ids, expected_total: BULK_MAX + 1 })).rejects.toMatchObject(refusal)
  })

  test('refuses what no record could take', async () => {
    await addRecords(team, dataset, plain(1))
    const unknown = { type: 'respond', status: 'draft', values: { who: { value: 'x' } } } as const
    await expect(ask({ action: unknown })).rejects.toMatchObject({ code: 'unprocessable', at: ['action', 'values'] })
    const scope = { entity: 'metadata' as const, metadata_property: 'no' }
    const query = { filters: { and: [{ type: 'terms' as const, scope, values: ['x'] }] } }
    await expect(ask({ query })).rejects.toMatchObject({
      code: 'unprocessable',
      at: ['query', 'filters', 'and', 0],
    })
  })

  test('is for members, and a repeated write_id returns the same job', async () => {
    await addRecords(team, dataset, plain(1))
    await expect(ask({}, team.strangeAnnotator)).rejects.toMatchObject({ code: 'forbidden' })
    const write_id = me.newId()
    const job = await ask({ write_id })
    await runJobs(me)
    expect((await ask({ write_id, expected_total: 9 })).id).toBe(job.id)
    await expect(getBulkJob(team.owner, job.id)).rejects.toMatchObject({ code: 'not_found' })
    expect((await listBulkJobs(me, dataset.id)).items).toMatchObject([{ id: job.id, status: 'finished' }])
  })

  test('allows ten unfinished jobs per user', async () => {
    await addRecords(team, dataset, plain(1))
    for (let i = 0; i < 10; i++) await ask({})
    await expect(ask({})).rejects.toMatchObject({ code: 'conflict' })
    expect((await ask({}, team.admin)).status).toBe('queued')
    await runJobs(me)
    expect((await ask({})).status).toBe('queued')
    await runJobs(me)
  })
})

describe('a bulk job under way', () => {
  test('stops when it is canceled; what it did stays', async () => {
    await addRecords(team, dataset, plain(250))
    const { id } = await ask({ expected_total: 250 })
    const runner = openJobRunner(me)
    await runner.step()
    expect(await getBulkJob(me, id)).toMatchObject({ status: 'started', done: 100, finished_at: null })
    const canceled = await cancelBulkJob(me, id)
    expect(canceled).toMatchObject({ status: 'canceled', done: 100, finished_at: expect.any(String) })
    while (await runner.step());
    expect((await responsesOf(me, dataset.id)).size).toBe(100)
    expect(await cancelBulkJob(me, id)).toEqual(canceled)
    expect(await getJob(team.owner, id)).toMatchObject({ status: 'canceled' })
    await expect(cancelBulkJob(team.owner, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('continues where its worker died, and repeats nothing', async () => {
    await addRecords(team, dataset, plain(250))
    const { id } = await ask({ expected_total: 250 })
    await openJobRunner(me).step()
    const from = team.ctx.events.length
    await runJobs(me)
    expect(await getBulkJob(me, id)).toMatchObject({ status: 'finished', done: 250, failed: 0 })
    const created = team.ctx.events.slice(from).filter(event => event.name === 'response.created')
    expect(created.map(({ payload }) => (payload as { response_ids: Id[] }).response_ids.length)).toEqual([100, 50])
  })

  test('fails for the remaining records when its user loses permission', async () => {
    await addRecords(team, dataset, plain(150))
    const { id } = await ask({ expected_total: 150 })
    await openJobRunner(me).step()
    await team.ctx.db.sql.run('delete from workspaces_users where user_id = ?', [me.actor.id])
    await runJobs(me)
    const left = { workspace_id: team.workspaceId, user_id: me.actor.id, inserted_at: me.now() }
    await team.ctx.db.kysely.insertInto('workspaces_users').values(left).execute()
    expect(await getBulkJob(me, id)).toMatchObject({ status: 'finished', done: 100, failed: 50 })
  })

  test('keeps the first thousand failures', async () => {
    await addRecords(team, dataset, plain(1))
    const record_ids = Array.from({ length: BULK_MAX }, () => me.newId())
    const job = await runBulk(me, dataset.id, { record_ids })
    expect([job.failed, job.failures.map(failure => failure.record_id)]).toEqual([BULK_MAX, record_ids.slice(0, 1000)])
  })
})
