import type { Id } from '@postil/domain/schema'
import type { JobStep } from '../../jobs/all.ts'
import { write } from '../../storage/write.ts'
import { deleteRecords } from '../records/store.ts'
import { listSomeRecordNumbers } from './store.ts'

const BATCH_MAX = 500

/** Removes the records of a deleted dataset, and what hangs on them. Nobody is told: they vanished with their dataset. */
export const purgeDataset: JobStep<{ dataset_id: Id }> = (ctx, payload) =>
  write(ctx, async tx => {
    const nos = await listSomeRecordNumbers(tx, payload.dataset_id, BATCH_MAX)
    await deleteRecords(tx, nos)
    return nos.length < BATCH_MAX ? null : payload
  })
