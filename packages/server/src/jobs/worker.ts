/** Runs jobs piece by piece: each call of `step` does at most one. Jobs take turns, so that a short one does not wait for a long one. */
import type { JobStatus } from '@postil/domain/jobs'
import type { Context } from '../context.ts'
import type { Notice } from '../events/emit.ts'
import { later } from '../lib/clock.ts'
import { GIVEN_UP, JOBS, type JobStep } from './all.ts'
import { claimJob, failJob, finishJob, forgetJobs, isJobDue, type Job, noteProgress, releaseLeases, retryJob } from './queue.ts'

const LEASE_SECONDS = 60
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
}

/** Jobs that take turns; others stay queued. Few enough that each has its turn long before its lease ends. */
const TAKEN_MAX = 8

export function openJobRunner(ctx: Context): JobRunner {
  /** In the order of their turns. */
  let taken: Job[] = []
  /** Its last piece could not be written, and neither could what became of it. */
  let stuck: Job | null = null
  let isFirst = true

  async function takeAnother(): Promise<'given up' | 'done'> {
    const claimed = taken.length < TAKEN_MAX ? await claim(ctx) : null
    if (!claimed) return 'done'
    // It ends the process before it can fail.
    if (claimed.attempts > ATTEMPTS_MAX) {
      await giveUp(ctx, claimed, STOPPED_EACH_TIME)
      return 'given up'
    }
    tellJob(ctx, claimed, 'started')
    // It may be one of these, if the process stood still until the lease ended.
    taken = [...taken.filter(({ id }) => id !== claimed.id), claimed]
    return 'done'
  }

  async function runNext(): Promise<boolean> {
    const next = taken.shift()
    if (!next) return false
    stuck = next
    const rest = await runPiece(ctx, next)
    stuck = null
    if (rest) taken.push(rest)
    return true
  }

  return {
    step: async () => {
      // The embedded database has one process, and this is its only worker: whoever had a lease is gone.
      if (isFirst && ctx.db.dialect.name === 'sqlite') await releaseLeases(ctx.db)
      isFirst = false
      if (stuck) await putBack(ctx, stuck)
      stuck = null
      return (await takeAnother()) === 'given up' || runNext()
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

/** Behind others that are due, which may be those that free disk space. The attempt does not count: the job did not fail. */
async function putBack(ctx: Context, job: Job): Promise<void> {
  const now = ctx.now()
  const error = 'The database could not be written'
  await retryJob(ctx.db, { id: job.id, attempts: Math.max(0, job.attempts - 1) }, { error, retryAt: now, now })
}

/** The job with its next payload, or null when it ended. */
async function runPiece(ctx: Context, job: Job): Promise<Job | null> {
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
    await finishJob(ctx.db, job.id, now)
    tellJob(ctx, job, 'finished')
    return null
  }
  await noteProgress(ctx.db, job.id, { payload, now, leasedUntil: later(now, LEASE_SECONDS) })
  return { ...job, payload, attempts: 0 }
}

async function handleFailure(ctx: Context, job: Job, error: unknown): Promise<void> {
  // After progress the attempt that runs is the first.
  const attempts = Math.max(1, job.attempts)
  const pause = RETRY_PAUSE_SECONDS[attempts - 1]
  ctx.log.error({ job_id: job.id, job: job.name, attempt: attempts, err: error }, 'job failed')
  const text = error instanceof Error ? error.message : String(error)
  if (pause === undefined) return giveUp(ctx, job, text)
  const now = ctx.now()
  await retryJob(ctx.db, { id: job.id, attempts }, { error: text, retryAt: later(now, pause), now })
  tellJob(ctx, job, 'queued')
}

async function giveUp(ctx: Context, job: Job, error: string): Promise<void> {
  const now = ctx.now()
  const named = { job_id: job.id, job: job.name }
  ctx.log.error({ ...named, reason: error }, 'job given up')
  try {
    await ctx.db.transaction(async db => {
      await failJob(db, job.id, { error, now })
      await GIVEN_UP[job.name]?.(db, job.payload, now)
    })
  } catch (failure) {
    if (ctx.db.dialect.isUnavailable(failure)) throw failure
    // What failed may be what the job failed at; that must not keep the job.
    ctx.log.error({ ...named, err: failure }, 'what a failed job leaves could not be cleared')
    await failJob(ctx.db, job.id, { error, now })
  }
  tellJob(ctx, job, 'failed')
}

/** Jobs that name a dataset are told to those who have it open. */
function tellJob(ctx: Context, { id, payload }: Job, status: JobStatus): void {
  const { dataset_id } = payload as { dataset_id?: string }
  if (dataset_id === undefined) return
  const told: Notice = { name: 'job', dataset_id, user_id: null, data: { id, status } }
  for (const subscriber of ctx.subscribers) subscriber.tell?.(ctx, [], [told], new Map())
}
