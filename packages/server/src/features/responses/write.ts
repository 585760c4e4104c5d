import { allow, DomainError, notUnique } from '@postil/domain/errors'
import { canChangeResponse, canCreateResponse } from '@postil/domain/permissions'
import type { RecordFields } from '@postil/domain/records'
import {
  checkResponse,
  checkUnchanged,
  type RecordResponse,
  ResponseConflict,
  type ResponseCreate,
  type ResponsesBulk,
  type ResponseUpdate,
  type ResponseUpsert,
} from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { loadDatasetOf, lockDatasetOf, type StoredDataset } from '../datasets/store.ts'
import { toResponse } from '../records/record-json.ts'
import { loadRecordToChange, type RecordRow } from '../records/store.ts'
import { changeResponses } from './change.ts'
import { hasVersionOfWrite } from './history-store.ts'
import { findResponse, loadResponse, type ResponseRow } from './store.ts'

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
    const { record_id } = await loadResponse(tx, responseId)
    const answered = await open(ctx, tx, record_id)
    // Again, now that nobody else can change it.
    const before = await loadResponse(tx, responseId)
    allow(canChangeResponse(ctx.actor, answered.dataset, before))
    const updated = await put(answered, before.user_id, response, before)
    await auditOthers('response.updated', answered, before)
    return updated
  })
}

/** Deletes a response; with `if_updated_at`, only the one that the caller has read. */
export function deleteResponse(
  ctx: RequestContext,
  responseId: string,
  { if_updated_at }: { if_updated_at?: string },
): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const { record_id } = await loadResponse(tx, responseId)
    const answered = await open(ctx, tx, record_id)
    const { record, dataset } = answered
    const before = await loadResponse(tx, responseId)
    allow(canChangeResponse(ctx.actor, dataset, before))
    const deleted = toResponse(before, record.id)
    checkUnchanged(if_updated_at, deleted)
    await changeResponses(ctx, tx, { dataset, userId: before.user_id, jobId: null }, [{ record, before, after: null }])
    await auditOthers('response.deleted', answered, before)
    return deleted
  })
}

/** The audit log names what is done to responses of others; for one's own there is the history of responses. */
async function auditOthers(
  action: 'response.updated' | 'response.deleted',
  { ctx, tx, record, dataset }: Answered,
  { id, user_id }: ResponseRow,
): Promise<void> {
  if (user_id === ctx.actor.id) return
  const details = { user_id, record_id: record.id, dataset: { id: dataset.id, name: dataset.name } }
  await audit(tx, ctx, { action, target: { id, name: null }, workspaceId: dataset.workspace_id, details })
}

/** Each item in its own transaction: one that fails is answered with its reason and stops no other. */
export async function upsertResponsesBulk(ctx: RequestContext, items: ResponseUpsert[]): Promise<ResponsesBulk> {
  const results: ResponsesBulk['items'] = []
  const width = widthOf(ctx, items)
  for (let start = 0; start < items.length; start += width) {
    const settled = await Promise.allSettled(items.slice(start, start + width).map(item => upsertResponse(ctx, item)))
    results.push(...settled.map(toBulkItem))
  }
  return { items: results }
}

/** Transactions of one bulk at the same time. */
const BULK_WIDTH = 4

/** PostgreSQL runs several at once. Items of the same record stay in their order. */
function widthOf({ db }: RequestContext, items: readonly ResponseUpsert[]): number {
  const isSpread = new Set(items.map(({ record_id }) => record_id)).size === items.length
  return db.dialect.name === 'postgres' && isSpread ? BULK_WIDTH : 1
}

function toBulkItem(settled: PromiseSettledResult<RecordResponse>): ResponsesBulk['items'][number] {
  if (settled.status === 'fulfilled') return { item: settled.value, error: null }
  if (!(settled.reason instanceof DomainError)) throw settled.reason
  return { item: null, error: { detail: toDetail(settled.reason) } }
}

/** With a conflict comes what is there, so that a person can compare. */
function toDetail(error: DomainError) {
  if (!(error instanceof ResponseConflict)) return error.explanation
  return { code: error.code, message: error.message, response: error.current }
}

function upsertResponse(ctx: RequestContext, item: ResponseUpsert): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const answered = await open(ctx, tx, item.record_id)
    const { record, dataset } = answered
    allow(canCreateResponse(ctx.actor, dataset))
    const before = await findResponse(tx, record.no, ctx.actor.id)
    const current = before && toResponse(before, record.id)
    if (item.write_id != null && (await wasWritten(answered, before, item.write_id))) {
      if (current) return current
      throw new ResponseConflict('This write was stored already, and its response deleted since', null)
    }
    checkUnchanged(item.if_updated_at, current)
    return put(answered, ctx.actor.id, item, before)
  })
}

/** Whether a write comes a second time: its answer was lost, or the client was. */
async function wasWritten({ ctx, tx, record }: Answered, before: ResponseRow | null, writeId: Id): Promise<boolean> {
  if (before?.write_id === writeId || before?.earlier_write_ids?.includes(writeId)) return true
  return hasVersionOfWrite(tx, record.no, ctx.actor.id, writeId)
}

async function open(ctx: RequestContext, tx: Tx, recordId: string): Promise<Answered> {
  // Sent together, in this order.
  const [, record] = await Promise.all([lockDatasetOf(tx, recordId), loadRecordToChange(tx, recordId)])
  const dataset = await loadDatasetOf(tx, record)
  return { ctx, tx, record, dataset, settings: await loadDatasetSettings(tx, dataset) }
}

async function put(
  { ctx, tx, record, dataset, settings }: Answered,
  userId: string,
  response: ResponseCreate & { write_id?: Id | null },
  before: ResponseRow | null,
): Promise<RecordResponse> {
  checkResponse(response, settings.rules, JSON.parse(record.fields) as RecordFields)
  const changed = { dataset, userId, jobId: null }
  const [row] = await changeResponses(ctx, tx, changed, [{ record, before, after: response }])
  return toResponse(row as ResponseRow, record.id)
}
