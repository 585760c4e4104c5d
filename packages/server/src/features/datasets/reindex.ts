import type { Context } from '../../context.ts'
import { buildSegments } from '../../search/source/build-segments.ts'
import { lockHead, setCounts } from '../../storage/changes.ts'
import { deleteSomeSegments, listDatasetsWithSegments, listUnindexed } from '../../storage/text-segments.ts'
import { countRecords } from '../records/store.ts'
import { loadDatasetSettings, toSearched } from './settings.ts'
import { loadDataset, type StoredDataset } from './store.ts'

/** Builds a dataset's index and its kept totals anew from its records. */
export async function reindexDataset(ctx: Context, { id }: StoredDataset, progress: (done: number) => void): Promise<number> {
  const dataset = await loadDataset(ctx.db, id)
  const settings = await loadDatasetSettings(ctx.db, dataset)
  const done = await ctx.search.reindex(ctx, { ...toSearched(dataset, settings), settings }, progress)
  await ctx.db.transaction(async db => {
    await lockHead(db, id)
    await setCounts(db, id, await countRecords(db, id))
  })
  return done
}

const SEGMENTS_PER_STATEMENT = 20

/**
 * Deletes all segments, which a search cluster does without. While it is used they are not kept in step, so a server that goes back to the
 * embedded engine must find none.
 */
export async function deleteSegments({ db }: Context): Promise<void> {
  for (const id of await listDatasetsWithSegments(db)) while ((await deleteSomeSegments(db, id, SEGMENTS_PER_STATEMENT)) > 0);
}

/**
 * Builds the segments that are missing, such as those of all datasets after an upgrade from a release without them. Nothing else may
 * write meanwhile. If it is interrupted, it goes on where it stopped when it runs again.
 */
export async function indexMissing(
  ctx: Context,
  tell: (dataset: StoredDataset, progress: { done: number; missing: number }) => void,
): Promise<void> {
  for (const { dataset_id, indexed_to, missing } of await listUnindexed(ctx.db)) {
    const dataset = await loadDataset(ctx.db, dataset_id)
    const settings = await loadDatasetSettings(ctx.db, dataset)
    const progress = (done: number) => tell(dataset, { done, missing })
    progress(0)
    await buildSegments(ctx, { id: dataset_id, settings }, { after: indexed_to, progress })
  }
}
