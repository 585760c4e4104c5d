import { allow, DomainError, notUnique } from '@postil/domain/errors'
import { toItemError } from '@postil/domain/item-error'
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
import { loadLockedDatasetOf, type StoredDataset } from '../datasets/store.ts'
import { toResponse } from '../records/record-json.ts'
import { loadRecordToChange, type RecordRow } from '../records/store.ts'
import { changeResponses } from './change.ts'
import { hasVersionOfWrite } from './history-store.ts'
import { findOwnResponse, loadResponse, type OwnResponse, type ResponseRow } from './store.ts'

interface ResponseTarget {
  ctx: RequestContext
  tx: Tx
  record: RecordRow
  dataset: StoredDataset
  settings: DatasetSettings
}

/** Creates the caller's first response to a record. */
export function createResponse(ctx: RequestContext, recordId: string, response: ResponseCreate): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const target = await loadOwnTarget(ctx, tx, recordId)
    allow(canCreateResponse(ctx.actor, target.dataset))
    if (target.own.response) throw notUnique('You have responded to this record already: change that response instead')
    return put(target, ctx.actor.id, response, target.own)
  })
}

/** Replaces status and values. The author of the response remains, even if another user changes it. */
export function updateResponse(ctx: RequestContext, responseId: string, response: ResponseUpdate): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const { record_id } = await loadResponse(tx, responseId)
    const target = await loadTarget(ctx, tx, record_id)
    // Loaded again, because the record is locked now.
    const before = await loadResponse(tx, responseId)
    allow(canChangeResponse(ctx.actor, target.dataset, before))
    const updated = await put(target, before.user_id, response, { response: before })
    await auditOthers('response.updated', target, before)
    return updated
  })
}

/** Deletes a response. With `if_updated_at`, only the version that the caller has read. */
export function deleteResponse(
  ctx: RequestContext,
  responseId: string,
  { if_updated_at }: { if_updated_at?: string },
): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const { record_id } = await loadResponse(tx, responseId)
    const target = await loadTarget(ctx, tx, record_id)
    const { record, dataset } = target
    const before = await loadResponse(tx, responseId)
    allow(canChangeResponse(ctx.actor, dataset, before))
    const deleted = toResponse(before, record.id)
    checkUnchanged(if_updated_at, deleted)
    await changeResponses(ctx, tx, { dataset, userId: before.user_id, jobId: null }, [{ record, before, after: null }])
    await auditOthers('response.deleted', target, before)
    return deleted
  })
}

/** Logs changes to responses of other users. Changes to own responses are in the history of responses. */
async function auditOthers(
  action: 'response.updated' | 'response.deleted',
  { ctx, tx, record, dataset }: ResponseTarget,
  { id, user_id }: ResponseRow,
): Promise<void> {
  if (user_id === ctx.actor.id) return
  const details = { user_id, record_id: record.id, dataset: { id: dataset.id, name: dataset.name } }
  await audit(tx, ctx, { action, target: { id, name: null }, workspaceId: dataset.workspace_id, details })
}

/** Runs each item in its own transaction. A failed item is reported with its reason and does not affect the others. */
export async function upsertResponsesBulk(ctx: RequestContext, items: ResponseUpsert[]): Promise<ResponsesBulk> {
  const results: ResponsesBulk['items'] = []
  const width = widthOf(ctx, items)
  for (let start = 0; start < items.length; start += width) {
    const settled = await Promise.allSettled(items.slice(start, start + width).map(item => upsertResponse(ctx, item)))
    results.push(...settled.map(toBulkItem))
  }
  return { items: results }
}

/** Concurrent transactions per bulk. */
const BULK_WIDTH = 4

/** PostgreSQL runs several transactions concurrently. Items of the same record must run in order, so they run one by one. */
function widthOf({ db }: RequestContext, items: readonly ResponseUpsert[]): number {
  const isSpread = new Set(items.map(({ record_id }) => record_id)).size === items.length
  return db.dialect.name === 'postgres' && isSpread ? BULK_WIDTH : 1
}

function toBulkItem(settled: PromiseSettledResult<RecordResponse>): ResponsesBulk['items'][number] {
  if (settled.status === 'fulfilled') return { item: settled.value, error: null }
  if (!(settled.reason instanceof DomainError)) throw settled.reason
  return { item: null, error: { detail: toDetail(settled.reason), ...toItemError(settled.reason) } }
}

/** A conflict includes the current response, so that the user can compare. */
function toDetail(error: DomainError) {
  if (!(error instanceof ResponseConflict)) return error.explanation
  return { code: error.code, message: error.message, response: error.current }
}

function upsertResponse(ctx: RequestContext, item: ResponseUpsert): Promise<RecordResponse> {
  return write(ctx, async tx => {
    const target = await loadOwnTarget(ctx, tx, item.record_id)
    const { record, dataset, own } = target
    allow(canCreateResponse(ctx.actor, dataset))
    const { response: before } = own
    const current = before && toResponse(before, record.id)
    if (item.write_id != null && (await wasWritten(target, before, item.write_id))) {
      if (current) return current
      throw new ResponseConflict('This write was stored already, and its response deleted since', null)
    }
    checkUnchanged(item.if_updated_at, current)
    return put(target, ctx.actor.id, item, own)
  })
}

/** True if the write is a retry, for example because the first response was lost or the client crashed. */
async function wasWritten({ ctx, tx, record }: ResponseTarget, before: ResponseRow | null, writeId: Id): Promise<boolean> {
  if (before?.write_id === writeId || before?.earlier_write_ids?.includes(writeId)) return true
  return hasVersionOfWrite(tx, record.no, ctx.actor.id, writeId)
}

async function loadTarget(ctx: RequestContext, tx: Tx, recordId: string): Promise<ResponseTarget> {
  // Both statements are sent together, in this order.
  const [dataset, record] = await Promise.all([loadLockedDatasetOf(tx, recordId), loadRecordToChange(tx, recordId)])
  return { ctx, tx, record, dataset, settings: await loadDatasetSettings(tx, dataset) }
}

/** Same as `loadTarget`, with the caller's response. */
async function loadOwnTarget(ctx: RequestContext, tx: Tx, recordId: string): Promise<ResponseTarget & { own: OwnResponse }> {
  // The response is read after the record is locked.
  const [target, own] = await Promise.all([loadTarget(ctx, tx, recordId), findOwnResponse(tx, recordId, ctx.actor.id)])
  return { ...target, own }
}

async function put(
  { ctx, tx, record, dataset, settings }: ResponseTarget,
  userId: string,
  response: ResponseCreate & { write_id?: Id | null },
  { response: before, othersSubmitted }: Pick<OwnResponse, 'response'> & Partial<OwnResponse>,
): Promise<RecordResponse> {
  checkResponse(response, settings.rules, JSON.parse(record.fields) as RecordFields)
  const changed = { dataset, userId, jobId: null }
  const [row] = await changeResponses(ctx, tx, changed, [{ record, before, after: response, othersSubmitted }])
  return toResponse(row as ResponseRow, record.id)
}
