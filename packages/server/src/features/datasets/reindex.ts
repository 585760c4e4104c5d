import type { Context } from '../../context.ts'
import { buildSegments } from '../../search/source/build-segments.ts'
import { lockHead, setCounts } from '../../storage/changes.ts'
import { deleteSomeSegments, listDatasetsWithSegments, listUnindexed } from '../../storage/text-segments.ts'
import { countRecords } from '../records/store.ts'
import { loadDatasetSettings, toSearchedDataset } from './settings.ts'
import { loadDataset, type StoredDataset } from './store.ts'

/** Rebuilds a dataset's index and stored totals from its records. */
export async function reindexDataset(ctx: Context, { id }: StoredDataset, progress: (done: number) => void): Promise<number> {
  const dataset = await loadDataset(ctx.db, id)
  const settings = await loadDatasetSettings(ctx.db, dataset)
  const done = await ctx.search.reindex(ctx, { ...toSearchedDataset(dataset, settings), settings }, progress)
  await ctx.db.transaction(async db => {
    await lockHead(db, id)
    await setCounts(db, id, await countRecords(db, id))
  })
  return done
}

const SEGMENTS_PER_STATEMENT = 20

/**
 * Deletes all segments, which are not needed with a search cluster. They are not updated while the cluster is used, so a server
 * that returns to the embedded engine must not find stale ones.
 */
export async function deleteSegments({ db }: Context): Promise<void> {
  for (const id of await listDatasetsWithSegments(db)) while ((await deleteSomeSegments(db, id, SEGMENTS_PER_STATEMENT)) > 0);
}

/**
 * Builds missing segments, for example those of all datasets after an upgrade from a release without segments. Nothing else may
 * write at the same time. If interrupted, it continues where it stopped on the next run.
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
