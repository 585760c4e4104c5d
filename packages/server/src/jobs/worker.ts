/** Runs jobs piece by piece: each call of `step` does at most one. */
import type { Context } from '../context.ts'
import { JOBS, type JobStep } from './all.ts'
import { claimJob, extendLease, failJob, finishJob, forgetJobs, type Job } from './queue.ts'

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
  return {
    step: async () => {
      current ??= await claim(ctx)
      if (!current) return false
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
    if (payload === null) await finishJob(ctx.db, job.id, now)
    else await extendLease(ctx.db, job.id, payload, now, later(now, LEASE_SECONDS))
    return payload === null ? null : { ...job, payload }
  } catch (error) {
    const pause = RETRY_PAUSE_SECONDS[job.attempts - 1]
    const now = ctx.now()
    ctx.log.error({ job_id: job.id, job: job.name, attempt: job.attempts, err: error }, 'job failed')
    const text = error instanceof Error ? error.message : String(error)
    await failJob(ctx.db, job.id, { error: text, retryAt: pause === undefined ? null : later(now, pause), now })
    return null
  }
}

function later(timestamp: string, seconds: number): string {
  return `${new Date(Date.parse(`${timestamp}Z`) + seconds * 1000).toISOString().slice(0, 23)}000`
}
