/**
 * Runs jobs in steps: each call of `step` runs at most one. Jobs take turns, so that a short one does not wait for a long one.
 */
import type { JobStatus } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { later } from '../lib/clock.ts'
import { toTrace } from '../lib/trace.ts'
import { CLEANUPS, JOBS, type JobStep } from './all.ts'
import { toJobNotice } from './notice.ts'
import {
  beginAttempt,
  claimJob,
  deleteOldJobs,
  failJob,
  finishJob,
  isJobDue,
  type Job,
  noteProgress,
  type RunBy,
  releaseLeases,
  retryJob,
} from './queue.ts'

/** Much longer than a step takes. If a worker dies, its jobs wait until the rest of the lease has expired. */
export const LEASE_SECONDS = 30
/** Pauses before each retry without progress; if the last retry fails, the job has failed. */
const RETRY_PAUSE_SECONDS = [1, 10, 60]
export const ATTEMPTS_MAX = RETRY_PAUSE_SECONDS.length + 1
const PAUSE_SECONDS_MAX = Math.max(...RETRY_PAUSE_SECONDS)
export const STOPPED_EACH_TIME = `Begun ${ATTEMPTS_MAX} times, and each time the server stopped before a piece was done`
const FINISHED_KEPT_SECONDS = 500
const FAILED_KEPT_SECONDS = 365 * 24 * 3600

export interface JobRunner {
  /** Runs one step of a job. Returns false if there is nothing to do. Rejects if the database is not writable. */
  step(): Promise<boolean>
  /**
   * Queues all claimed jobs again for other processes, because this one is stopping. Must not be called while a step is running.
   */
  release(): Promise<void>
}

/**
 * Maximum number of claimed jobs, which take turns; others stay queued. Small enough that each job has its turn long before its
 * lease expires.
 */
const CLAIMED_MAX = 8

interface ClaimedJob extends Job {
  /** True if `attempts` includes the current attempt. */
  isCounted: boolean
}

export function openJobRunner(ctx: Context): JobRunner {
  /** Claimed jobs in the order of their turns. */
  let claimedJobs: ClaimedJob[] = []
  /**
   * Job whose last step failed because the database was not writable, so that neither the step nor the failure could be stored.
   */
  let stuck: ClaimedJob | null = null
  let isFirst = true

  async function claimAnother(): Promise<'given up' | 'done'> {
    const claimed = claimedJobs.length < CLAIMED_MAX ? await claim(ctx, 'writer') : null
    if (!claimed) return 'done'
    // The job crashes the process each time, before the failure can be stored.
    if (claimed.attempts >= ATTEMPTS_MAX) {
      await giveUp(ctx, claimed, STOPPED_EACH_TIME)
      return 'given up'
    }
    notifyJob(ctx, claimed, 'started')
    // The job may already be in the list, if the process was suspended until the lease expired.
    claimedJobs = [...claimedJobs.filter(({ id }) => id !== claimed.id), { ...claimed, isCounted: false }]
    return 'done'
  }

  async function runNext(): Promise<boolean> {
    const next = claimedJobs.shift()
    if (!next) return false
    stuck = next
    const begun = next.isCounted ? next : await begin(ctx, next)
    stuck = begun
    const rest = begun && (await runStep(ctx, begun))
    stuck = null
    if (rest) claimedJobs.push(rest)
    return true
  }

  return {
    step: async () => {
      // SQLite is used by one process only, and this is its only worker, so all existing leases belong to an earlier process that
      // has ended.
      if (isFirst && ctx.db.dialect.name === 'sqlite') await releaseLeases(ctx.db, 'writer')
      isFirst = false
      if (stuck) await requeue(ctx, stuck, NOT_WRITTEN)
      stuck = null
      return (await claimAnother()) === 'given up' || runNext()
    },
    release: async () => {
      for (const job of claimedJobs.splice(0)) await requeue(ctx, job, null)
    },
  }
}

/** Allows twice the length of a lease because the clocks of other processes may differ. */
const toTimeLimits = (now: string) => ({ run_at: later(now, PAUSE_SECONDS_MAX), leased_until: later(now, 2 * LEASE_SECONDS) })

export function isDue(ctx: Context, runBy: RunBy): Promise<boolean> {
  const now = ctx.now()
  return isJobDue(ctx.db, now, toTimeLimits(now), runBy)
}

/** Claims a job that is due; returns null if there is none. */
export async function claim(ctx: Context, runBy: RunBy, busy: readonly Id[] = []): Promise<Job | null> {
  const now = ctx.now()
  const tooFar = toTimeLimits(now)
  // Checks first, so that the database is not locked when there is nothing to do.
  if (!(await isJobDue(ctx.db, now, tooFar, runBy))) return null
  return ctx.db.transaction(async db => {
    const job = await claimJob(db, { now, leasedUntil: later(now, LEASE_SECONDS), tooFar, runBy, busy })
    if (job) {
      const files = later(now, -ctx.config.filesDays * 24 * 3600)
      await deleteOldJobs(db, { finished: later(now, -FINISHED_KEPT_SECONDS), files, failed: later(now, -FAILED_KEPT_SECONDS) })
    }
    return job
  })
}

const NOT_WRITTEN = 'The database could not be written'

/**
 * Queues the job again, behind other jobs that are due, because those may free disk space. The attempt does not count because the
 * job itself did not fail.
 */
async function requeue(ctx: Context, job: ClaimedJob, error: string | null): Promise<void> {
  const now = ctx.now()
  await retryJob(ctx.db, { ...job, attempts: Math.max(0, job.attempts - Number(job.isCounted)) }, { error, retryAt: now, now })
}

/**
 * Counts the attempt. Only the job that runs has its attempt counted, so that other claimed jobs lose none if it crashes the
 * process. Returns null if the lease was lost.
 */
async function begin(ctx: Context, job: ClaimedJob): Promise<ClaimedJob | null> {
  const now = ctx.now()
  const leasedUntil = later(now, LEASE_SECONDS)
  const isBegun = await beginAttempt(ctx.db, job, { now, leasedUntil })
  return isBegun ? { ...job, attempts: job.attempts + 1, isCounted: true, leased_until: leasedUntil } : null
}

/** Returns the job with its next payload, or null if it has ended or the lease was lost. */
async function runStep(ctx: Context, job: ClaimedJob): Promise<ClaimedJob | null> {
  let payload: unknown
  try {
    payload = await (JOBS[job.name as keyof typeof JOBS] as JobStep<unknown>)(ctx, job.payload)
  } catch (error) {
    // An unwritable database is not a failure of the job: the job is retried until the database is writable again.
    if (ctx.db.dialect.isUnavailable(error)) throw error
    await handleFailure(ctx, job, error)
    return null
  }
  const now = ctx.now()
  if (payload === null) {
    if (await finishJob(ctx.db, job, now)) notifyJob(ctx, job, 'finished')
    return null
  }
  const leasedUntil = later(now, LEASE_SECONDS)
  const isOurs = await noteProgress(ctx.db, job, { payload, now, leasedUntil })
  return isOurs ? { ...job, payload, attempts: 0, leased_until: leasedUntil } : null
}

export async function handleFailure(ctx: Context, job: Job, error: unknown): Promise<void> {
  // After progress, `attempts` is 0 although an attempt is running.
  const attempts = Math.max(1, job.attempts)
  const pause = RETRY_PAUSE_SECONDS[attempts - 1]
  ctx.log.error({ job_id: job.id, job: job.name, attempt: attempts, ...toTrace(error) }, 'job failed; its `error` says why')
  const text = error instanceof Error ? error.message : String(error)
  if (pause === undefined) return giveUp(ctx, job, text)
  const now = ctx.now()
  const isQueued = await retryJob(ctx.db, { ...job, attempts }, { error: text, retryAt: later(now, pause), now })
  if (isQueued) notifyJob(ctx, job, 'queued')
}

export async function giveUp(ctx: Context, job: Job, error: string): Promise<void> {
  const now = ctx.now()
  const named = { job_id: job.id, job: job.name }
  ctx.log.error(named, 'job given up; its `error` says why')
  let hasFailed: boolean
  try {
    hasFailed = await ctx.db.transaction(async db => {
      // Cleans up first because a bulk job is always locked before its row in `jobs`.
      await CLEANUPS[job.name]?.(db, job, now)
      return failJob(db, job, { error, now })
    })
  } catch (failure) {
    if (ctx.db.dialect.isUnavailable(failure)) throw failure
    // The cleanup may fail for the same reason as the job. The job must be marked as failed anyway.
    ctx.log.error({ ...named, ...toTrace(failure) }, 'what a failed job leaves could not be cleared')
    hasFailed = await failJob(ctx.db, job, { error, now })
  }
  if (hasFailed) notifyJob(ctx, job, 'failed')
}

/** Notifies pages that have the job's dataset open. No-op for jobs without a dataset. */
export function notifyJob(ctx: Context, job: Job, status: JobStatus): void {
  const notice = toJobNotice(job, status)
  if (notice === null) return
  for (const subscriber of ctx.subscribers) subscriber.tell?.(ctx, { events: [], notices: [notice], heads: new Map() })
}
