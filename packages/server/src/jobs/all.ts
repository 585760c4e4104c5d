/** Every background job: its name, what it is given, and the function that does one short piece of it. */
import type { Context } from '../context.ts'
import { runBulkJob } from '../features/bulk-jobs/run.ts'
import { purgeDataset } from '../features/datasets/purge.ts'
import { recomputeStatus } from '../features/datasets/recompute-status.ts'
import { reindexAnswers } from '../features/datasets/reindex-answers.ts'
import { reindexMetadata } from '../features/metadata-properties/reindex.ts'
import { purgeVectors } from '../features/vectors-settings/purge.ts'

/**
 * Does one piece, in a transaction of its own, small enough that waiting requests hardly notice. Returns the payload for
 * the next piece, or null when the job is done. A piece may run twice: it must not matter.
 */
export type JobStep<P> = (ctx: Context, payload: P) => Promise<P | null>

export const JOBS = {
  'recompute-status': recomputeStatus,
  'purge-dataset': purgeDataset,
  'reindex-metadata': reindexMetadata,
  'reindex-answers': reindexAnswers,
  'purge-vectors': purgeVectors,
  'bulk-responses': runBulkJob,
} as const

export type JobName = keyof typeof JOBS
export type JobPayload<N extends JobName> = Parameters<(typeof JOBS)[N]>[1]
