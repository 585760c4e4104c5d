/** All background jobs: name, payload type, and the function that runs one short step of the job. */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { cancelBulk } from '../features/bulk-jobs/cancel.ts'
import { failBulkJob } from '../features/bulk-jobs/fail.ts'
import { runBulkJob } from '../features/bulk-jobs/run.ts'
import { purgeDataset } from '../features/datasets/purge.ts'
import { recomputeStatus } from '../features/datasets/recompute-status.ts'
import { cancelExportFile, dropExportFile } from '../features/exports/export-file.ts'
import { dropToken } from '../features/hub/drop-token.ts'
import { HUB_JOBS, type HubJobName, type HubPayloads } from '../features/hub/jobs.ts'
import { migrateLabel } from '../features/questions/migrate-label.ts'
import { purgeFlags } from '../features/users/pseudonym.ts'
import { purgeUser } from '../features/users/purge.ts'
import { purgeVectors } from '../features/vectors-settings/purge.ts'
import { purgeLegacyRecords } from '../legacy/purge.ts'
import type { Queryable } from '../storage/database.ts'
import type { Tx } from '../storage/write.ts'

/**
 * Runs one step in its own transaction, short enough that it hardly delays waiting requests. Returns the payload for the next
 * step, or null when the job is done. A step may run twice, so it must be idempotent.
 *
 * Some payload keys have the same meaning for all jobs: pages that have dataset `dataset_id` open receive the job's status
 * changes; with `user_id`, only pages of that user receive them; `done` and `total` are the progress that owners see.
 */
export type JobStep<P> = (ctx: Context, payload: P) => Promise<P | null>

/** Jobs that the writer thread runs. Hub jobs wait for the network, so the hub thread runs them (`jobs/hub-exchange.ts`). */
export const JOBS = {
  'recompute-status': recomputeStatus,
  'purge-dataset': purgeDataset,
  'purge-user': purgeUser,
  'purge-flags': purgeFlags,
  'purge-vectors': purgeVectors,
  'bulk-responses': runBulkJob,
  'migrate-label': migrateLabel,
  'purge-legacy-records': purgeLegacyRecords,
} as const

export type JobName = keyof typeof JOBS | HubJobName

/** False for a job that a newer release has left in the database and that this release does not support. */
export const isJobName = (name: string): name is JobName => Object.hasOwn(JOBS, name) || HUB_JOBS.some(known => known === name)

export type JobPayload<N extends JobName> = N extends HubJobName
  ? HubPayloads[N]
  : N extends keyof typeof JOBS
    ? Parameters<(typeof JOBS)[N]>[1]
    : never

/** Cleans up after a job that has failed for good, in the transaction that marks it as failed. */
export type JobCleanup = (db: Queryable, job: { id: Id; payload: unknown }, now: string) => Promise<void>

export const CLEANUPS: Partial<Record<JobName, JobCleanup>> = {
  'bulk-responses': (db, { payload }, now) => failBulkJob(db, payload as JobPayload<'bulk-responses'>, now),
  'hub-export': (db, { id }) => dropToken(db, id),
  'file-export': (db, { id }) => dropExportFile(db, id),
}

interface OwnerRules {
  /**
   * Cancels a queued or started job, apart from its row in `jobs`; a string is the reason why jobs of this kind cannot be
   * canceled.
   */
  cancel: ((tx: Tx, jobId: Id, now: string) => Promise<void>) | string
  /** Reason why a failed job of this kind cannot be retried; null if it can. */
  noRetry: string | null
}

/** What owners may do with each kind of job. A job that must not be left half done cannot be canceled. */
export const OWNER_RULES: Record<JobName, OwnerRules> = {
  'recompute-status': {
    cancel: 'It cannot be canceled: some records would keep the status of the earlier distribution',
    noRetry: null,
  },
  'purge-dataset': { cancel: 'It cannot be canceled: records of the deleted dataset would stay in the database', noRetry: null },
  'purge-user': { cancel: 'It cannot be canceled: a part of what the deleted user wrote would stay', noRetry: null },
  'purge-flags': { cancel: 'It cannot be canceled: a part of the flags of the deleted user would stay', noRetry: null },
  'purge-vectors': { cancel: 'It cannot be canceled: vectors of the deleted settings would stay in the database', noRetry: null },
  'purge-legacy-records': {
    cancel: 'It cannot be canceled: records of the deleted dataset would stay in the database',
    noRetry: null,
  },
  'migrate-label': {
    cancel: 'It cannot be canceled: some answers would keep a label that the question does not have any more',
    noRetry: null,
  },
  // Records that were already imported stay.
  'hub-import': { cancel: async () => {}, noRetry: null },
  'file-import': { cancel: async () => {}, noRetry: null },
  'hub-export': {
    cancel: dropToken,
    noRetry: 'It cannot be run again: its token was deleted when it failed. Start a new export',
  },
  'file-export': { cancel: cancelExportFile, noRetry: null },
  'bulk-responses': {
    cancel: cancelBulk,
    noRetry:
      'It cannot be run again: the list of the records that were left is deleted when a bulk job fails. Start a new bulk job',
  },
}
