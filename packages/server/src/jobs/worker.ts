/** Runs jobs piece by piece: each call of `step` does at most one. */
import type { JobStatus } from '@postil/domain/jobs'
import type { Context } from '../context.ts'
import type { Notice } from '../events/emit.ts'
import { later } from '../lib/clock.ts'
import { JOBS, type JobStep } from './all.ts'
import { claimJob, extendLease, failJob, finishJob, forgetJobs, type Job, releaseLeases } from './queue.ts'

const LEASE_SECONDS = 60
/** Pauses before each new attempt; after the last the job has failed. */
const RETRY_PAUSE_SECONDS = [1, 10, 60]
const FINISHED_KEPT_SECONDS = 500
const FAILED_KEPT_SECONDS = 365 * 24 * 3600

export interface JobRunner {
  /** Does one piece of a job. False when there is nothing to do. */
  step(): Promise<boolean>
}

export function openJobRunner(ctx: Context): JobRunner {
  let current: Job | null = null
  let isFirst = true
  return {
    step: async () => {
      // The embedded database has one process, and this is its only worker: whoever had a lease is gone.
      if (isFirst && ctx.db.dialect.name === 'sqlite') await releaseLeases(ctx.db)
      isFirst = false
      if (!current) {
        current = await claim(ctx)
        if (!current) return false
        tellJob(ctx, current, 'started')
      }
      current = await runPiece(ctx, current)
      return true
    },
  }
}

function claim(ctx: Context): Promise<Job | null> {
  const now = ctx.now()
  return ctx.db.transaction(async db => {
    const job = await claimJob(db, now, later(now, LEASE_SECONDS))
    if (job) await forgetJobs(db, { finished: later(now, -FINISHED_KEPT_SECONDS), failed: later(now, -FAILED_KEPT_SECONDS) })
    return job
  })
}

/** The job with its next payload, or null when it ended. */
async function runPiece(ctx: Context, job: Job): Promise<Job | null> {
  try {
    const step = JOBS[job.name] as JobStep<unknown>
    const payload = await step(ctx, job.payload)
    const now = ctx.now()
    if (payload === null) {
      await finishJob(ctx.db, job.id, now)
      tellJob(ctx, job, 'finished')
    } else await extendLease(ctx.db, job.id, payload, now, later(now, LEASE_SECONDS))
    return payload === null ? null : { ...job, payload }
  } catch (error) {
    const pause = RETRY_PAUSE_SECONDS[job.attempts - 1]
    const now = ctx.now()
    ctx.log.error({ job_id: job.id, job: job.name, attempt: job.attempts, err: error }, 'job failed')
    const text = error instanceof Error ? error.message : String(error)
    await failJob(ctx.db, job.id, { error: text, retryAt: pause === undefined ? null : later(now, pause), now })
    tellJob(ctx, job, pause === undefined ? 'failed' : 'queued')
    return null
  }
}

/** Jobs that name a dataset are told to those who have it open. */
function tellJob(ctx: Context, { id, payload }: Job, status: JobStatus): void {
  const { dataset_id } = payload as { dataset_id?: string }
  if (dataset_id === undefined) return
  const told: Notice = { name: 'job', dataset_id, user_id: null, data: { id, status } }
  for (const subscriber of ctx.subscribers) subscriber.tell?.(ctx, [], [told])
}
