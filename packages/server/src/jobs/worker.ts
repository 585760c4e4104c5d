/** Runs jobs piece by piece: each call of `step` does at most one. Jobs take turns, so that a short one does not wait for a long one. */
import type { JobStatus } from '@postil/domain/jobs'
import type { Context } from '../context.ts'
import { later } from '../lib/clock.ts'
import { GIVEN_UP, JOBS, type JobStep } from './all.ts'
import { toJobNotice } from './notice.ts'
import {
  beginAttempt,
  claimJob,
  failJob,
  finishJob,
  forgetJobs,
  isJobDue,
  type Job,
  noteProgress,
  releaseLeases,
  retryJob,
} from './queue.ts'

/** Much longer than a piece takes; a job whose worker died waits for the rest of it. */
const LEASE_SECONDS = 30
/** Pauses before each new attempt without progress; after the last the job has failed. */
const RETRY_PAUSE_SECONDS = [1, 10, 60]
const ATTEMPTS_MAX = RETRY_PAUSE_SECONDS.length + 1
const PAUSE_SECONDS_MAX = Math.max(...RETRY_PAUSE_SECONDS)
const STOPPED_EACH_TIME = `Begun ${ATTEMPTS_MAX} times, and each time the server stopped before a piece was done`
const FINISHED_KEPT_SECONDS = 500
const FAILED_KEPT_SECONDS = 365 * 24 * 3600

export interface JobRunner {
  /** Does one piece of a job. False when there is nothing to do. Rejects when the database cannot be written. */
  step(): Promise<boolean>
  /** Queues the jobs again that were taken, for other processes: this one stops. No piece may be running. */
  release(): Promise<void>
}

/** Jobs that take turns; others stay queued. Few enough that each has its turn long before its lease ends. */
const TAKEN_MAX = 8

interface TakenJob extends Job {
  /** Whether the attempt that runs is counted in `attempts`. */
  isCounted: boolean
}

export function openJobRunner(ctx: Context): JobRunner {
  /** In the order of their turns. */
  let taken: TakenJob[] = []
  /** Its last piece could not be written, and neither could what became of it. */
  let stuck: TakenJob | null = null
  let isFirst = true

  async function takeAnother(): Promise<'given up' | 'done'> {
    const claimed = taken.length < TAKEN_MAX ? await claim(ctx) : null
    if (!claimed) return 'done'
    // It ends the process before it can fail.
    if (claimed.attempts >= ATTEMPTS_MAX) {
      await giveUp(ctx, claimed, STOPPED_EACH_TIME)
      return 'given up'
    }
    tellJob(ctx, claimed, 'started')
    // It may be one of these, if the process stood still until the lease ended.
    taken = [...taken.filter(({ id }) => id !== claimed.id), { ...claimed, isCounted: false }]
    return 'done'
  }

  async function runNext(): Promise<boolean> {
    const next = taken.shift()
    if (!next) return false
    stuck = next
    const begun = next.isCounted ? next : await begin(ctx, next)
    stuck = begun
    const rest = begun && (await runPiece(ctx, begun))
    stuck = null
    if (rest) taken.push(rest)
    return true
  }

  return {
    step: async () => {
      // The embedded database has one process, and this is its only worker: whoever had a lease is gone.
      if (isFirst && ctx.db.dialect.name === 'sqlite') await releaseLeases(ctx.db)
      isFirst = false
      if (stuck) await putBack(ctx, stuck, NOT_WRITTEN)
      stuck = null
      return (await takeAnother()) === 'given up' || runNext()
    },
    release: async () => {
      for (const job of taken.splice(0)) await putBack(ctx, job, null)
    },
  }
}

async function claim(ctx: Context): Promise<Job | null> {
  const now = ctx.now()
  // Other processes may have other clocks: a lease is too long only if it is far too long.
  const tooFar = { run_at: later(now, PAUSE_SECONDS_MAX), leased_until: later(now, 2 * LEASE_SECONDS) }
  // Looking first leaves the database unlocked while there is nothing to do.
  if (!(await isJobDue(ctx.db, now, tooFar))) return null
  return ctx.db.transaction(async db => {
    const job = await claimJob(db, { now, leasedUntil: later(now, LEASE_SECONDS), tooFar })
    if (job) await forgetJobs(db, { finished: later(now, -FINISHED_KEPT_SECONDS), failed: later(now, -FAILED_KEPT_SECONDS) })
    return job
  })
}

const NOT_WRITTEN = 'The database could not be written'

/** Behind others that are due, which may be those that free disk space. The attempt does not count: the job did not fail. */
async function putBack(ctx: Context, job: TakenJob, error: string | null): Promise<void> {
  const now = ctx.now()
  await retryJob(ctx.db, { ...job, attempts: Math.max(0, job.attempts - Number(job.isCounted)) }, { error, retryAt: now, now })
}

/** Counts the attempt: if the piece ends the process, other jobs that were taken have lost none of theirs. Null if it is not ours any more. */
async function begin(ctx: Context, job: TakenJob): Promise<TakenJob | null> {
  const now = ctx.now()
  const leasedUntil = later(now, LEASE_SECONDS)
  const isBegun = await beginAttempt(ctx.db, job, { now, leasedUntil })
  return isBegun ? { ...job, attempts: job.attempts + 1, isCounted: true, leased_until: leasedUntil } : null
}

/** The job with its next payload, or null when it ended. */
async function runPiece(ctx: Context, job: TakenJob): Promise<TakenJob | null> {
  let payload: unknown
  try {
    payload = await (JOBS[job.name] as JobStep<unknown>)(ctx, job.payload)
  } catch (error) {
    // A database that cannot be written is not the job's failure: the job is tried again for as long as that lasts.
    if (ctx.db.dialect.isUnavailable(error)) throw error
    await handleFailure(ctx, job, error)
    return null
  }
  const now = ctx.now()
  if (payload === null) {
    if (await finishJob(ctx.db, job, now)) tellJob(ctx, job, 'finished')
    return null
  }
  const leasedUntil = later(now, LEASE_SECONDS)
  const isOurs = await noteProgress(ctx.db, job, { payload, now, leasedUntil })
  return isOurs ? { ...job, payload, attempts: 0, leased_until: leasedUntil } : null
}

async function handleFailure(ctx: Context, job: Job, error: unknown): Promise<void> {
  // After progress the attempt that runs is the first.
  const attempts = Math.max(1, job.attempts)
  const pause = RETRY_PAUSE_SECONDS[attempts - 1]
  ctx.log.error({ job_id: job.id, job: job.name, attempt: attempts, err: error }, 'job failed')
  const text = error instanceof Error ? error.message : String(error)
  if (pause === undefined) return giveUp(ctx, job, text)
  const now = ctx.now()
  const isQueued = await retryJob(ctx.db, { ...job, attempts }, { error: text, retryAt: later(now, pause), now })
  if (isQueued) tellJob(ctx, job, 'queued')
}

async function giveUp(ctx: Context, job: Job, error: string): Promise<void> {
  const now = ctx.now()
  const named = { job_id: job.id, job: job.name }
  ctx.log.error({ ...named, reason: error }, 'job given up')
  let hasFailed: boolean
  try {
    hasFailed = await ctx.db.transaction(async db => {
      // A bulk job is locked before its row in `jobs`.
      await GIVEN_UP[job.name]?.(db, job.payload, now)
      return failJob(db, job, { error, now })
    })
  } catch (failure) {
    if (ctx.db.dialect.isUnavailable(failure)) throw failure
    // What failed may be what the job failed at; that must not keep the job.
    ctx.log.error({ ...named, err: failure }, 'what a failed job leaves could not be cleared')
    hasFailed = await failJob(ctx.db, job, { error, now })
  }
  if (hasFailed) tellJob(ctx, job, 'failed')
}

/** Jobs that name a dataset are told to those who have it open. */
function tellJob(ctx: Context, job: Job, status: JobStatus): void {
  const told = toJobNotice(job, status)
  if (told === null) return
  for (const subscriber of ctx.subscribers) subscriber.tell?.(ctx, { events: [], notices: [told], heads: new Map() })
}
