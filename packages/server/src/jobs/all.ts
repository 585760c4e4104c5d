/** Every background job: its name, what it is given, and the function that does one short piece of it. */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { cancelBulk } from '../features/bulk-jobs/cancel.ts'
import { failBulkJob } from '../features/bulk-jobs/fail.ts'
import { runBulkJob } from '../features/bulk-jobs/run.ts'
import { purgeDataset } from '../features/datasets/purge.ts'
import { recomputeStatus } from '../features/datasets/recompute-status.ts'
import { purgeFlags } from '../features/users/pseudonym.ts'
import { purgeUser } from '../features/users/purge.ts'
import { purgeVectors } from '../features/vectors-settings/purge.ts'
import type { Queryable } from '../storage/database.ts'
import type { Tx } from '../storage/write.ts'

/**
 * Does one piece, in a transaction of its own, small enough that waiting requests hardly notice. Returns the payload for
 * the next piece, or null when the job is done. A piece may run twice: it must not matter.
 *
 * Some keys of a payload are known to all kinds: `dataset_id`, whose open pages are told how the job goes; `user_id` beside it, if only
 * that user is told; `done` and `total`, which owners see as the job's progress.
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
/** A database that a newer release has used may hold jobs that this one does not know. */
export const isJobName = (name: string): name is JobName => Object.hasOwn(JOBS, name)

export type JobPayload<N extends JobName> = Parameters<(typeof JOBS)[N]>[1]

/** What a job leaves to be done when it is given up, in the transaction that gives it up. */
export type JobGivenUp = (db: Queryable, payload: unknown, now: string) => Promise<void>

export const GIVEN_UP: Partial<Record<JobName, JobGivenUp>> = {
  'bulk-responses': (db, payload, now) => failBulkJob(db, payload as JobPayload<'bulk-responses'>, now),
}

interface OwnerRules {
  /** Cancels a job that waits or runs, besides its row in `jobs`; or why this kind cannot be canceled. */
  cancel: ((tx: Tx, jobId: Id, now: string) => Promise<void>) | string
  /** Why a failed job of this kind cannot be run again; null if it can. */
  noRetry: string | null
}

/** What owners may do with each kind. A job that must not stay half done cannot be canceled. */
export const OWNER_RULES: Record<JobName, OwnerRules> = {
  'recompute-status': {
    cancel: 'It cannot be canceled: some records would keep the status of the earlier distribution',
    noRetry: null,
  },
  'purge-dataset': { cancel: 'It cannot be canceled: records of the deleted dataset would stay in the database', noRetry: null },
  'purge-user': { cancel: 'It cannot be canceled: a part of what the deleted user wrote would stay', noRetry: null },
  'purge-flags': { cancel: 'It cannot be canceled: a part of the flags of the deleted user would stay', noRetry: null },
  'purge-vectors': { cancel: 'It cannot be canceled: vectors of the deleted settings would stay in the database', noRetry: null },
  'bulk-responses': {
    cancel: cancelBulk,
    noRetry:
      'It cannot be run again: the list of the records that were left is deleted when a bulk job fails. Start a new bulk job',
  },
}
