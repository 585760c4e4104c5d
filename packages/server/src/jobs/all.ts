/** Every background job: its name, what it is given, and the function that does one short piece of it. */
import type { Context } from '../context.ts'
import { failBulkJob } from '../features/bulk-jobs/fail.ts'
import { runBulkJob } from '../features/bulk-jobs/run.ts'
import { purgeDataset } from '../features/datasets/purge.ts'
import { recomputeStatus } from '../features/datasets/recompute-status.ts'
import { purgeFlags } from '../features/users/pseudonym.ts'
import { purgeUser } from '../features/users/purge.ts'
import { purgeVectors } from '../features/vectors-settings/purge.ts'
import type { Queryable } from '../storage/database.ts'

/**
 * Does one piece, in a transaction of its own, small enough that waiting requests hardly notice. Returns the payload for
 * the next piece, or null when the job is done. A piece may run twice: it must not matter.
 */
export type JobStep<P> = (ctx: Context, payload: P) => Promise<P | null>

export const JOBS = {
  'recompute-status': recomputeStatus,
  'purge-dataset': purgeDataset,
  'purge-user': purgeUser,
  'purge-flags': purgeFlags,
  'purge-vectors': purgeVectors,
  'bulk-responses': runBulkJob,
} as const

export type JobName = keyof typeof JOBS
export type JobPayload<N extends JobName> = Parameters<(typeof JOBS)[N]>[1]

/** What a job leaves to be done when it is given up, in the transaction that gives it up. */
export type JobGivenUp = (db: Queryable, payload: unknown, now: string) => Promise<void>

export const GIVEN_UP: Partial<Record<JobName, JobGivenUp>> = {
  'bulk-responses': (db, payload, now) => failBulkJob(db, payload as JobPayload<'bulk-responses'>, now),
}
