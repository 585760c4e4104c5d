/**
 * Makes answers that are stored already filterable by what their question's type says now, in the order of record numbers.
 * A value that is there already is left alone, so a piece may run twice.
 */
import type { Id } from '@postil/domain/schema'
import type { JobStep } from '../../jobs/all.ts'
import { write } from '../../storage/write.ts'
import { toAnswerTerms } from '../records/index-rows.ts'
import { lockRecordsAfter } from '../records/store.ts'
import { insertResponseTerms } from '../responses/store.ts'
import { insertSuggestionTerms } from '../suggestions/store.ts'
import { loadDatasetSettings } from './settings.ts'
import { findDataset } from './store.ts'

const BATCH_MAX = 500

interface Progress {
  dataset_id: Id
  /** Records up to this number are done. */
  after: number
}

export const reindexAnswers: JobStep<Progress> = (ctx, progress) =>
  write(ctx, async tx => {
    const dataset = await findDataset(tx, progress.dataset_id)
    if (!dataset) return null
    const nos = await lockRecordsAfter(tx, dataset.id, { after: progress.after, limit: BATCH_MAX })
    const { suggestionTerms, responseTerms } = await toAnswerTerms(tx, await loadDatasetSettings(tx, dataset), nos)
    await insertSuggestionTerms(tx, suggestionTerms)
    await insertResponseTerms(tx, responseTerms)
    const last = nos.at(-1)
    return last !== undefined && nos.length === BATCH_MAX ? { ...progress, after: last } : null
  })
