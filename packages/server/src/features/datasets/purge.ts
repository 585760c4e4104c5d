import type { Id } from '@postil/domain/schema'
import type { JobStep } from '../../jobs/all.ts'
import { write } from '../../storage/write.ts'
import { deleteRecords } from '../records/store.ts'
import { listSomeRecordNumbers } from './store.ts'

/** Records per batch: takes a few milliseconds, more if records have many responses. */
const BATCH_MAX = 200

interface Progress {
  dataset_id: Id
  /** Numbers of records; absent in jobs of earlier releases. */
  done?: number
  total?: number
}

/**
 * Removes the records of a deleted dataset with their data, then its index. Sends no events, because the deletion of the dataset
 * has already been announced.
 */
export const purgeDataset: JobStep<Progress> = (ctx, payload) =>
  write(ctx, async tx => {
    const nos = await listSomeRecordNumbers(tx, payload.dataset_id, BATCH_MAX)
    await deleteRecords(tx, nos)
    if (nos.length === BATCH_MAX) return { ...payload, done: (payload.done ?? 0) + nos.length }
    return (await ctx.search.drop(tx, payload.dataset_id)) ? null : payload
  })
