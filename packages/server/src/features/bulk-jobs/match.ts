/**
 * Selects the records of a bulk job. They are fixed when the job is created, so that it changes exactly the records the user
 * confirmed.
 */
import type { BulkRequest } from '@postil/domain/bulk-jobs'
import { checkAt, conflict, invalid } from '@postil/domain/errors'
import { canSeeExtraMetadata } from '@postil/domain/permissions'
import { resolveSearch } from '@postil/domain/search/resolve'
import type { RequestContext } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DatasetSettings, toSearchedDataset } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { toSearchDataset } from '../records/search-dataset.ts'
import { listRecordNos } from './store.ts'

interface MatchContext {
  ctx: RequestContext
  db: Queryable
  dataset: StoredDataset
  settings: DatasetSettings
}

/** Throws if there are too many records, or not as many as the caller expects. */
export function checkTotal(total: number, expected: number, max: number): void {
  checkMax(total, max)
  if (total !== expected) throw conflict(`It would be ${total} records by now, \`expected_total\` is ${expected}: look again`)
}

function checkMax(total: number, max: number): void {
  if (total > max) throw invalid(`${total} records match; at most ${max} can be changed at once: narrow the search`)
}

/**
 * Returns a function that lists the numbers of all records that the search route finds with this body and `response_status`,
 * without the exceptions and in no particular order.
 */
export async function prepareMatches(
  { ctx, db, dataset, settings }: MatchContext,
  request: Pick<BulkRequest, 'query' | 'response_status' | 'except_record_ids'>,
  max: number,
): Promise<() => Promise<number[]>> {
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
  // Sorts by insertion time, which costs nothing, instead of the requested order.
  const byTime = { target: { kind: 'record', property: 'inserted_at', as: 'keyword' }, order: 'asc' } as const
  const exceptions = new Set(await listRecordNos(db, except_record_ids))
  return async () => {
    const found = await ctx.search.search(toSearchedDataset(dataset, settings), { ...resolved, sort: [byTime], shuffleFor: null })
    checkMax(found.total - except_record_ids.length, max)
    return found.hits.map(hit => hit.recordNo).filter(no => !exceptions.has(no))
  }
}
