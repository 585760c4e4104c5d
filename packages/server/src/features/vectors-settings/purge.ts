import type { JobStep } from '../../jobs/all.ts'
import { write } from '../../storage/write.ts'
import { deleteSomeVectors } from '../vectors/store.ts'

const BATCH_MAX = 1_000

/** Removes the vectors of deleted vectors settings. */
export const purgeVectors: JobStep<{ vectors_settings_no: number }> = (ctx, payload) =>
  write(ctx, async tx => ((await deleteSomeVectors(tx, payload.vectors_settings_no, BATCH_MAX)) < BATCH_MAX ? null : payload))
