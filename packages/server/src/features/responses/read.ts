import { allow, notFound } from '@postil/domain/errors'
import { canReadAllResponses, canReadRecord, canSearchOwnRecords } from '@postil/domain/permissions'
import type { RecentResponse, ResponseOfAuthor, ResponseStatus, ResponseVersion } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset, loadDatasetOf } from '../datasets/store.ts'
import { loadRecord } from '../records/store.ts'
import { listVersions, type VersionRow } from './history-store.ts'
import { findAuthorIn, findOwnResponse, listRecentResponses } from './store.ts'

/** Lists previous versions of the caller's response to a record, newest first. */
export function listMyHistory(ctx: RequestContext, recordId: Id): Promise<{ items: ResponseVersion[] }> {
  return ctx.db.snapshot(async db => {
    const record = await loadRecord(db, recordId)
    allow(canReadRecord(ctx.actor, await loadDatasetOf(db, record)))
    const versions = await listVersions(db, record.no, ctx.actor.id)
    return { items: versions.map(version => toResponseVersion(version, record.id)) }
  })
}

const toResponseVersion = (row: VersionRow, record_id: Id): ResponseVersion => {
  const { record_no: _no, version: _version, write_id: _write, status, values, ...version } = row
  return {
    ...version,
    record_id,
    status: status as ResponseStatus | null,
    values: values === null ? null : JSON.parse(values),
  }
}

/** Returns the response of a user who works or worked on the dataset, with its history. For leads. */
export function getResponseOfUser(ctx: RequestContext, recordId: Id, userId: Id): Promise<ResponseOfAuthor> {
  return ctx.db.snapshot(async db => {
    const record = await loadRecord(db, recordId)
    const dataset = await loadDatasetOf(db, record)
    allow(canReadAllResponses(ctx.actor, dataset))
    const user = await findAuthorIn(db, dataset.id, userId)
    if (user === null) throw notFound('User', userId)
    const { response: row } = await findOwnResponse(db, record.id, userId)
    const versions = await listVersions(db, record.no, userId)
    const response = row && {
      id: row.id,
      values: JSON.parse(row.values),
      status: row.status as ResponseStatus,
      record_id: record.id,
      user_id: row.user_id,
      inserted_at: row.inserted_at,
      updated_at: row.updated_at,
    }
    return { user, response, history: versions.map(version => toResponseVersion(version, record.id)) }
  })
}

/** Lists the records of a dataset that the caller answered most recently, newest first. */
export function listMyRecent(
  ctx: RequestContext,
  datasetId: Id,
  { limit }: { limit: number },
): Promise<{ items: RecentResponse[] }> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, datasetId)
    allow(canSearchOwnRecords(ctx.actor, dataset))
    const rows = await listRecentResponses(db, dataset.id, ctx.actor.id, limit)
    const items = rows.map(row => ({ ...row, status: row.status as ResponseStatus, values: JSON.parse(row.values) }))
    return { items }
  })
}
