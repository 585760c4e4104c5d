import type { Context } from '../../context.ts'
import { setCounts } from '../../storage/changes.ts'
import { iterateIndexRows } from '../records/index-rows.ts'
import { deleteMetadataValues, insertMetadataValues } from '../records/metadata-store.ts'
import { countRecords } from '../records/store.ts'
import { clearResponseTerms, insertResponseTerms } from '../responses/store.ts'
import { clearSuggestionTerms, insertSuggestionTerms } from '../suggestions/store.ts'
import { loadDatasetSettings } from './settings.ts'
import type { StoredDataset } from './store.ts'

/** Builds a dataset's index anew from its records, in one transaction: searches see the old one or the new one. */
export function reindexDataset(ctx: Context, dataset: StoredDataset, progress: (done: number) => void): Promise<number> {
  return ctx.db.transaction(async db => {
    const settings = await loadDatasetSettings(db, dataset)
    await ctx.search.drop(db, dataset.id)
    if (dataset.status === 'ready') await ctx.search.prepare(db, dataset.id, settings.textFields.length)
    let done = 0
    for await (const { records, texts, metadata, suggestionTerms, responseTerms } of iterateIndexRows(db, dataset.id, settings)) {
      const nos = records.map(record => record.no)
      await deleteMetadataValues(db, nos)
      await clearSuggestionTerms(db, nos)
      await clearResponseTerms(db, nos)
      await insertMetadataValues(db, metadata)
      await insertSuggestionTerms(db, suggestionTerms)
      await insertResponseTerms(db, responseTerms)
      await ctx.search.put(db, dataset.id, texts, { replace: false })
      done += records.length
      progress(done)
    }
    await setCounts(db, dataset.id, await countRecords(db, dataset.id))
    return done
  })
}
