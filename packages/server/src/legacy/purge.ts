import type { JobStep } from '../jobs/all.ts'
import { write } from '../storage/write.ts'
import { deleteRows, listIdsAfter } from './records-store.ts'

const BATCH_MAX = 500

/** Removes the records of a deleted task dataset. */
export const purgeLegacyRecords: JobStep<{ dataset_no: number; done: number }> = (ctx, payload) =>
  write(ctx, async tx => {
    const ids = await listIdsAfter(tx, payload.dataset_no, '', BATCH_MAX)
    await deleteRows(tx, payload.dataset_no, ids)
    return ids.length < BATCH_MAX ? null : { ...payload, done: payload.done + ids.length }
  })
