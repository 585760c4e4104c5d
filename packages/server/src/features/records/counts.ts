import { allow } from '@postil/domain/errors'
import { canSearchOwnRecords, canSeeExtraMetadata } from '@postil/domain/permissions'
import { type CountsBody, type RecordCounts, resolveCounts } from '@postil/domain/search/counts'
import type { RequestContext } from '../../context.ts'
import { loadDatasetSettings, toSearchedDataset } from '../datasets/settings.ts'
import { askEngine, createDatasetRead } from './ask-engine.ts'
import { toSearchDataset } from './search-dataset.ts'

/** Counts records in each of the caller's queues and by value, under the conditions of a search. */
export function countMyRecords(ctx: RequestContext, datasetId: string, body: CountsBody): Promise<RecordCounts> {
  const read = createDatasetRead(ctx.db, datasetId)
  return askEngine(ctx, read, async ({ db, dataset }) => {
    allow(canSearchOwnRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const hidesMetadata = !canSeeExtraMetadata(ctx.actor, dataset)
    const options = { userId: ctx.actor.id, hidesMetadata, now: ctx.now() }
    const query = resolveCounts(body, toSearchDataset(settings), options)

    return async () => {
      // Nothing is read after the count, so the database can verify the expected dataset meanwhile.
      await db.sendNow?.()
      const counts = await ctx.search.count(toSearchedDataset(dataset, settings), query)
      const asked = body.of ?? []
      const targets = counts.targets.flatMap((count, i) => (asked[i] === undefined ? [] : [{ target: asked[i], ...count }]))
      return { ...counts, targets }
    }
  })
}
