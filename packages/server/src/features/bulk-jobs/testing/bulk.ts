/** A published dataset for bulk jobs: one required label, one comment, records with and without suggestions. */
import type { BulkJob, BulkRequest } from '@postil/domain/bulk-jobs'
import type { RecordResponse, ResponseUpsert } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../../context.ts'
import { openJobRunner } from '../../../jobs/worker.ts'
import { OnWriter } from '../../../lib/answer.ts'
import { publishDataset } from '../../datasets/publish.ts'
import { addDraft, TEXT_FIELD, type TestPlace } from '../../datasets/testing/datasets.ts'
import { createField } from '../../fields/create.ts'
import { createQuestion } from '../../questions/create.ts'
import { createRecordsBulk } from '../../records/create-bulk.ts'
import { upsertResponsesBulk } from '../../responses/write.ts'
import { createBulkJob, startBulkJob } from '../create.ts'
import { getBulkJob } from '../read.ts'

export interface BulkDataset {
  id: Id
  moodId: Id
}

const OPTIONS = ['good', 'bad'].map(value => ({ value, text: value, description: null }))

export async function addBulkDataset(team: TestPlace): Promise<BulkDataset> {
  const { id } = await addDraft(team)
  await createField(team.owner, id, TEXT_FIELD)
  const mood = { name: 'mood', title: 'Mood', required: true, settings: { type: 'label_selection', options: OPTIONS } } as const
  const { id: moodId } = await createQuestion(team.owner, id, mood)
  await createQuestion(team.owner, id, { name: 'comment', title: 'Comment', required: false, settings: { type: 'text' } })
  await publishDataset(team.owner, id)
  return { id, moodId }
}

export async function addRecords({ owner }: TestPlace, dataset: BulkDataset, items: object[]): Promise<Id[]> {
  const ids: Id[] = []
  for (let start = 0; start < items.length; start += 500) {
    const some = items.slice(start, start + 500).map(item => ({ fields: { text: 'apple' }, ...item }))
    const { text } = await createRecordsBulk(owner, dataset.id, some)
    ids.push(...JSON.parse(text).items.map((record: { id: Id }) => record.id))
  }
  return ids
}

export const plain = (count: number, text = 'apple') => Array.from({ length: count }, () => ({ fields: { text } }))

export const respond = (value = 'good', status = 'submitted') =>
  ({ type: 'respond', status, values: { mood: { value } } }) as BulkRequest['action']

/** Runs both steps: search thread, then writer. */
export async function askForBulk(ctx: RequestContext, datasetId: Id, request: BulkRequest): Promise<BulkJob> {
  const answered = await createBulkJob(ctx, datasetId, request)
  return answered instanceof OnWriter ? startBulkJob(ctx, answered.body) : answered
}

/** Creates a job and runs it. */
export async function runBulk(ctx: RequestContext, datasetId: Id, request: Partial<BulkRequest>): Promise<BulkJob> {
  const given = { action: respond(), expected_total: request.record_ids?.length ?? 1, ...request }
  const { id } = await askForBulk(ctx, datasetId, given)
  await runJobs(ctx)
  return getBulkJob(ctx, id)
}

export async function runJobs(ctx: RequestContext): Promise<void> {
  const runner = openJobRunner(ctx)
  while (await runner.step());
}

export async function answer(ctx: RequestContext, record_id: Id, given: object): Promise<RecordResponse> {
  const [result] = (await upsertResponsesBulk(ctx, [{ record_id, ...given } as ResponseUpsert])).items
  if (!result?.item) throw new Error(JSON.stringify(result?.error))
  return result.item
}

export interface StoredResponse {
  record_id: Id
  id: Id
  status: string
  values: unknown
}

/** Returns a user's stored responses by record id. */
export async function responsesOf({ db, actor }: RequestContext, datasetId: Id): Promise<Map<Id, StoredResponse>> {
  const text = `select r.id as record_id, p.id, p.status, p."values" from responses p join records r on r.no = p.record_no
    where p.dataset_no = (select no from dataset_heads where dataset_id = ?) and p.user_id = ?`
  const rows = await db.sql.all<StoredResponse & { values: string }>(text, [datasetId, actor.id])
  return new Map(rows.map(row => [row.record_id, { ...row, values: JSON.parse(row.values) }]))
}
