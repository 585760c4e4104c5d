import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openJobRunner } from '../../jobs/worker.ts'
import * as migration from '../../storage/migrations/0005-answers-found.ts'
import { createField } from '../fields/create.ts'
import { createQuestion } from '../questions/create.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { publishDataset } from './publish.ts'
import { addDraft, addPublished, listJobs, openTestTeam, TEXT_FIELD, type TestTeam } from './testing/datasets.ts'

let team: TestTeam
let datasetId: Id
const options = ['a', 'b'].map(value => ({ value, text: value }))
const RECORDS = 600

beforeAll(async () => {
  team = await openTestTeam()
  const { owner } = team
  datasetId = (await addDraft(team)).id
  await createField(owner, datasetId, TEXT_FIELD)
  const spots = await createQuestion(owner, datasetId, {
    name: 'spots',
    title: 'Spots',
    settings: { type: 'span', field: 'text', options },
  })
  const order = await createQuestion(owner, datasetId, {
    name: 'order',
    title: 'Order',
    settings: { type: 'ranking', options },
  })
  const note = await createQuestion(owner, datasetId, { name: 'note', title: 'Note', required: true, settings: { type: 'text' } })
  await publishDataset(owner, datasetId)
  const span = [{ label: 'a', start: 0, end: 2 }]
  const ranked = [
    { value: 'a', rank: 2 },
    { value: 'b', rank: 1 },
  ]
  const item = {
    fields: { text: 'hello' },
    suggestions: [
      { question_id: spots.id, value: span },
      { question_id: order.id, value: ranked },
      { question_id: note.id, value: 'well' },
    ],
    responses: [
      {
        user_id: owner.actor.id,
        status: 'submitted' as const,
        values: { spots: { value: span }, order: { value: ranked }, note: { value: 'hm' } },
      },
    ],
  }
  for (const count of [RECORDS / 2, RECORDS / 2]) await createRecordsBulk(owner, datasetId, Array(count).fill(item))
})
afterAll(() => team.ctx.close())

const terms = (table: string) =>
  team.ctx.db.sql.all<{ value: string; count: number }>(
    `select value, count(*) as count from ${table} group by value order by value`,
  )
const allTerms = async () => [await terms('suggestion_terms'), await terms('response_terms')]

test('answers to spans, rankings and texts are written with what they are found by', async () => {
  expect(await terms('suggestion_terms')).toEqual([
    { value: 'a', count: RECORDS },
    { value: 'b', count: RECORDS },
  ])
  expect(await terms('response_terms')).toEqual([
    { value: 'a', count: RECORDS },
    { value: 'b', count: RECORDS },
    { value: 'given', count: RECORDS },
  ])
})

test('a database from before gets it by a job for each dataset with such questions', async () => {
  const { ctx, owner } = team
  await publishDataset(owner, (await addPublishedLater()).id)
  const before = await allTerms()
  await migration.down(ctx.db)
  expect(await allTerms()).toEqual([[], []])

  await migration.up(ctx.db)
  expect((await listJobs(ctx)).map(({ name, payload }) => [name, payload])).toEqual([
    ['reindex-answers', { dataset_id: datasetId, after: 0 }],
  ])
  const jobs = openJobRunner(ctx)
  let pieces = 0
  while (await jobs.step()) pieces++
  expect(pieces).toBe(2)
  expect(await allTerms()).toEqual(before)
})

/** A dataset without such questions. */
async function addPublishedLater() {
  const { owner } = team
  const draft = await addDraft(team)
  await createField(owner, draft.id, TEXT_FIELD)
  await createQuestion(owner, draft.id, {
    name: 'mood',
    title: 'Mood',
    required: true,
    settings: { type: 'label_selection', options },
  })
  return draft
}

test('the job of a dataset that was deleted has nothing to do', async () => {
  const { ctx } = team
  await addPublished(team)
  await ctx.db.sql.run(
    `insert into jobs (id, name, payload, status, attempts, run_at, inserted_at, updated_at)
     values ('gone', 'reindex-answers', '{"dataset_id":"${ctx.newId()}","after":0}', 'queued', 0, '', '', '')`,
  )
  const jobs = openJobRunner(ctx)
  while (await jobs.step());
  expect(await ctx.db.sql.get('select status from jobs where id = ?', ['gone'])).toEqual({ status: 'finished' })
})
