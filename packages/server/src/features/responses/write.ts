import { allow, DomainError, notUnique } from '@postil/domain/errors'
import { canChangeResponse, canCreateResponse } from '@postil/domain/permissions'
import type { RecordFields } from '@postil/domain/records'
import {
  checkResponse,
  type RecordResponse,
  type ResponseCreate,
  type ResponsesBulk,
  type ResponseUpdate,
  type ResponseUpsert,
  toResponseValues,
} from '@postil/domain/responses'
import type { RequestContext } from '../../context.ts'
import { emit } from '../../events/emit.ts'
import { type Tx, write } from '../../storage/write.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { loadDatasetOf, type StoredDataset, touchActivity } from '../datasets/store.ts'
import { toResponse } from '../records/record-json.ts'
import { toResponseRow, toResponseTerms } from '../records/rows.ts'
import { loadRecord, type RecordRow } from '../records/store.ts'
import { recomputeStatuses } from './recompute.ts'
import {
  deleteResponses,
  deleteResponseTerms,
  findResponse,
  insertDatasetUsers,
  insertResponses,
  insertResponseTerms,
  loadResponse,
  type ResponseRow,
} from './store.ts'

interface Answered {
  ctx: RequestContext
  tx: Tx
  record: RecordRow
  dataset: StoredDataset
  settings: DatasetSettings
}

/** The caller's first response to a record. */
export function createResponse(ctx: RequestContext, recordId: string, response: ResponseCreate): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const answered = await open(ctx, tx, recordId)
    allow(canCreateResponse(ctx.actor, answered.dataset))
    const before = await findResponse(tx, answered.record.no, ctx.actor.id)
    if (before) throw notUnique('You have responded to this record already: change that response instead')
    return put(answered, ctx.actor.id, response, null)
  })
}

/** Replaces status and values; the response keeps its author, whoever changes it. */
export function updateResponse(ctx: RequestContext, responseId: string, response: ResponseUpdate): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const before = await loadResponse(tx, responseId)
    const answered = await open(ctx, tx, before.record_id)
    allow(canChangeResponse(ctx.actor, answered.dataset, before))
    return put(answered, before.user_id, response, before)
  })
}

export function deleteResponse(ctx: RequestContext, responseId: string): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const row = await loadResponse(tx, responseId)
    const answered = await open(ctx, tx, row.record_id)
    allow(canChangeResponse(ctx.actor, answered.dataset, row))
    await deleteResponses(tx, [row])
    await touchActivity(tx, answered.dataset.id, ctx.now())
    await tellRecord(answered)
    emit(tx, 'response.deleted', { dataset_id: answered.dataset.id, response_ids: [row.id] })
    return toResponse(row, row.record_id)
  })
}

/** Each item in its own transaction: one that fails is answered with its reason and stops no other. */
export async function upsertResponsesBulk(ctx: RequestContext, items: ResponseUpsert[]): Promise<ResponsesBulk> {
  const results: ResponsesBulk['items'] = []
  for (const item of items) {
    try {
      results.push({ item: await upsertResponse(ctx, item), error: null })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      results.push({ item: null, error: { detail: error.explanation } })
    }
  }
  return { items: results }
}

function upsertResponse(ctx: RequestContext, item: ResponseUpsert): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const answered = await open(ctx, tx, item.record_id)
    allow(canCreateResponse(ctx.actor, answered.dataset))
    return put(answered, ctx.actor.id, item, await findResponse(tx, answered.record.no, ctx.actor.id))
  })
}

async function open(ctx: RequestContext, tx: Tx, recordId: string): Promise<Answered> {
  const record = await loadRecord(tx, recordId)
  const dataset = await loadDatasetOf(tx, record)
  return { ctx, tx, record, dataset, settings: await loadDatasetSettings(tx, dataset) }
}

async function put(
  answered: Answered,
  userId: string,
  response: ResponseCreate,
  before: ResponseRow | null,
): Promise<RecordResponse> {
  const { ctx, tx, record, dataset, settings } = answered
  checkResponse(response, settings.rules, JSON.parse(record.fields) as RecordFields)

  const now = ctx.now()
  const given = toResponseRow(dataset.id, userId, response, { id: ctx.newId(), now, recordNo: record.no })
  const row = before ? { ...given, id: before.id, inserted_at: before.inserted_at } : given
  await insertResponses(tx, [row], { overwrite: true })
  if (before) await deleteResponseTerms(tx, [row])
  await insertResponseTerms(tx, toResponseTerms(settings, toResponseValues(response), userId, record.no))
  await touchActivity(tx, dataset.id, now)
  await insertDatasetUsers(tx, dataset.id, [userId], now)
  await tellRecord(answered)
  emit(tx, before ? 'response.updated' : 'response.created', { dataset_id: dataset.id, response_ids: [row.id] })
  return toResponse(row, record.id)
}

/** The record's status follows; it is told of only when it changed, and as completed only when it became so. */
async function tellRecord({ ctx, tx, record, dataset }: Answered): Promise<void> {
  const [changed] = await recomputeStatuses(ctx, tx, dataset, [record])
  if (!changed) return
  emit(tx, 'record.updated', { dataset_id: dataset.id, record_ids: [changed.id] })
  if (changed.status === 'completed') emit(tx, 'record.completed', { dataset_id: dataset.id, record_ids: [changed.id] })
}
