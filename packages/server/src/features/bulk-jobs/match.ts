/** Which records a bulk job is about: chosen when it is asked for, so that what was confirmed is what happens. */
import type { BulkRequest } from '@postil/domain/bulk-jobs'
import { checkAt, conflict, invalid } from '@postil/domain/errors'
import { canSeeExtraMetadata } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import { resolveSearch } from '@postil/domain/search/resolve'
import type { RequestContext } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import { type DatasetSettings, toSearched } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { toSearchDataset } from '../records/search-dataset.ts'
import { listRecordIds } from './store.ts'

interface Asked {
  ctx: RequestContext
  tx: Tx
  dataset: StoredDataset
  settings: DatasetSettings
}

/** Throws when they are too many, or not as many as the caller takes them to be. */
export async function listTargets(asked: Asked, request: BulkRequest): Promise<Id[]> {
  const { bulkRecordsMax } = asked.ctx.config
  const ids = request.record_ids == null ? await listMatches(asked, request, bulkRecordsMax) : [...new Set(request.record_ids)]
  checkCount(ids.length, bulkRecordsMax)
  if (ids.length !== request.expected_total)
    throw conflict(`It would be ${ids.length} records by now, \`expected_total\` is ${request.expected_total}: look again`)
  return ids
}

function checkCount(count: number, max: number): void {
  if (count > max) throw invalid(`${count} records match; at most ${max} can be answered at once: narrow the search`)
}

/** Exactly what the search route finds with this body and this `response_status`, but the exceptions; in no order. */
async function listMatches({ ctx, tx, dataset, settings }: Asked, request: BulkRequest, max: number): Promise<Id[]> {
  const { query, response_status, except_record_ids = [] } = request
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
  const found = await ctx.search.search(tx, toSearched(dataset, settings), { ...resolved, sort: [byTime], shuffleFor: null })
  checkCount(found.total - except_record_ids.length, max)
  const ids = await listRecordIds(
    tx,
    found.hits.map(hit => hit.recordNo),
  )
  const exceptions = new Set(except_record_ids)
  return ids.filter(id => !exceptions.has(id))
}
