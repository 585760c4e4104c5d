import type { Context } from '../../context.ts'
import type { Verification } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import { countRecords } from '../records/store.ts'
import { loadDatasetSettings, toSearchedDataset } from './settings.ts'
import { loadDataset, type StoredDataset } from './store.ts'

/** Compares a dataset's index with its records in one consistent snapshot. */
export function verifyDataset(ctx: Context, { id }: StoredDataset, progress: (done: number) => void): Promise<Verification> {
  return ctx.db.snapshot(async db => {
    // Loaded again, so that the totals match the records of this snapshot.
    const dataset = await loadDataset(db, id)
    const settings = await loadDatasetSettings(db, dataset)
    const found = await ctx.search.verify(db, { ...toSearchedDataset(dataset, settings), settings }, progress)
    return { ...found, differences: [...found.differences, ...(await compareCounts(db, dataset))] }
  })
}

async function compareCounts(db: Queryable, dataset: StoredDataset): Promise<string[]> {
  const { records, completed } = await countRecords(db, dataset.id)
  const same = records === dataset.records_count && completed === dataset.completed_count
  return same
    ? []
    : [`kept totals are ${dataset.records_count} records, ${dataset.completed_count} completed; counted ${records}, ${completed}`]
}
