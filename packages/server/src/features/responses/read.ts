import { allow } from '@postil/domain/errors'
import { canReadRecord, canSearchOwnRecords } from '@postil/domain/permissions'
import type { RecentResponse, ResponseStatus, ResponseVersion } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset, loadDatasetOf } from '../datasets/store.ts'
import { loadRecord } from '../records/store.ts'
import { listVersions } from './history-store.ts'
import { listRecentResponses } from './store.ts'

/** Lists previous versions of the caller's response to a record, newest first. */
export function listMyHistory(ctx: RequestContext, recordId: Id): Promise<{ items: ResponseVersion[] }> {
  return ctx.db.snapshot(async db => {
    const record = await loadRecord(db, recordId)
    allow(canReadRecord(ctx.actor, await loadDatasetOf(db, record)))
    const versions = await listVersions(db, record.no, ctx.actor.id)
    const items = versions.map(({ record_no: _no, version: _version, write_id: _write, status, values, ...version }) => ({
      ...version,
      record_id: record.id,
      status: status as ResponseStatus | null,
      values: values === null ? null : JSON.parse(values),
    }))
    return { items }
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
