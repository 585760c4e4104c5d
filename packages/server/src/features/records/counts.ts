import { allow } from '@postil/domain/errors'
import { canSearchOwnRecords, canSeeExtraMetadata } from '@postil/domain/permissions'
import { type CountsBody, type RecordCounts, resolveCounts } from '@postil/domain/search/counts'
import type { RequestContext } from '../../context.ts'
import { loadDatasetSettings, toSearched } from '../datasets/settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { toSearchDataset } from './search-dataset.ts'

/** Records in each of the caller's queues and by value, under the conditions of a search. */
export function countMyRecords(ctx: RequestContext, datasetId: string, body: CountsBody): Promise<RecordCounts> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, datasetId)
    allow(canSearchOwnRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const hidesMetadata = !canSeeExtraMetadata(ctx.actor, dataset)
    const options = { userId: ctx.actor.id, hidesMetadata, now: ctx.now() }
    const query = resolveCounts(body, toSearchDataset(settings), options)

    const counts = await ctx.search.count(toSearched(dataset, settings), query)
    const asked = body.of ?? []
    const targets = counts.targets.flatMap((count, i) => (asked[i] === undefined ? [] : [{ target: asked[i], ...count }]))
    return { ...counts, targets }
  })
}
