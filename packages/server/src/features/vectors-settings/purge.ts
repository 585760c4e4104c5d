import type { Id } from '@postil/domain/schema'
import type { JobStep } from '../../jobs/all.ts'
import { write } from '../../storage/write.ts'
import { deleteSomeVectors } from '../vectors/store.ts'

const BATCH_MAX = 1_000

interface Progress {
  vectors_settings_no: number
  /** Absent in jobs of earlier releases. */
  dataset_id?: Id
  done?: number
}

/** Deletes the vectors of deleted vectors settings. */
export const purgeVectors: JobStep<Progress> = (ctx, payload) =>
  write(ctx, async tx => {
    const count = await deleteSomeVectors(tx, payload.vectors_settings_no, BATCH_MAX)
    return count < BATCH_MAX ? null : { ...payload, done: (payload.done ?? 0) + count }
  })
