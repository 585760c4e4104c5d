/** Which records a bulk job is about: chosen when it is asked for, so that what was confirmed is what happens. */
import type { BulkRequest } from '@postil/domain/bulk-jobs'
import { checkAt, conflict, invalid } from '@postil/domain/errors'
import { canSeeExtraMetadata } from '@postil/domain/permissions'
import { resolveSearch } from '@postil/domain/search/resolve'
import type { RequestContext } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DatasetSettings, toSearched } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { toSearchDataset } from '../records/search-dataset.ts'
import { listRecordNos } from './store.ts'

interface Asked {
  ctx: RequestContext
  db: Queryable
  dataset: StoredDataset
  settings: DatasetSettings
}

/** Throws when they are too many, or not as many as the caller takes them to be. */
export function checkTotal(total: number, expected: number, max: number): void {
  checkMax(total, max)
  if (total !== expected) throw conflict(`It would be ${total} records by now, \`expected_total\` is ${expected}: look again`)
}

function checkMax(total: number, max: number): void {
  if (total > max) throw invalid(`${total} records match; at most ${max} can be answered at once: narrow the search`)
}

/** Numbers of exactly what the search route finds with this body and this `response_status`, but the exceptions; in no order. */
export async function listMatches({ ctx, db, dataset, settings }: Asked, request: BulkRequest): Promise<number[]> {
  const { query, response_status, except_record_ids = [] } = request
  const max = ctx.config.bulkRecordsMax
  const options = {
    userId: ctx.actor.id,
    hidesMetadata: !canSeeExtraMetadata(ctx.actor, dataset),
    now: ctx.now(),
    offset: 0,
    limit: max + except_record_ids.length,
    parameters: response_status == null ? {} : { response_status: [response_status] },
  }
  const resolved = checkAt(['query'], () => resolveSearch(query ?? {}, toSearchDataset(settings), options))
  // In the order of time, which costs nothing, instead of the one that was asked for.
  const byTime = { target: { kind: 'record', property: 'inserted_at', as: 'keyword' }, order: 'asc' } as const
  const found = await ctx.search.search(toSearched(dataset, settings), { ...resolved, sort: [byTime], shuffleFor: null })
  checkMax(found.total - except_record_ids.length, max)
  const exceptions = new Set(await listRecordNos(db, except_record_ids))
  return found.hits.map(hit => hit.recordNo).filter(no => !exceptions.has(no))
}
