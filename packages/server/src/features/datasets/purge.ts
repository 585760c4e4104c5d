import type { Id } from '@postil/domain/schema'
import type { JobStep } from '../../jobs/all.ts'
import { write } from '../../storage/write.ts'
import { deleteRecords } from '../records/store.ts'
import { listSomeRecordNumbers } from './store.ts'

/** Some milliseconds; with many responses a record, some more. */
const BATCH_MAX = 200

interface Progress {
  dataset_id: Id
  /** Records; jobs of earlier releases do not count them. */
  done?: number
  total?: number
}

/** Removes the records of a deleted dataset and what belongs to them, then its index. No events: the deletion of the dataset was one. */
export const purgeDataset: JobStep<Progress> = (ctx, payload) =>
  write(ctx, async tx => {
    const nos = await listSomeRecordNumbers(tx, payload.dataset_id, BATCH_MAX)
    await deleteRecords(tx, nos)
    if (nos.length === BATCH_MAX) return { ...payload, done: (payload.done ?? 0) + nos.length }
    return (await ctx.search.drop(tx, payload.dataset_id)) ? null : payload
  })
