/**
 * The writer's side of hub jobs. The main thread claims a job, passes it to the hub thread, and reports the outcome to the
 * writer. Hub jobs are leased like all others; each batch of an import is stored in the same transaction as the import's
 * progress.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { completeExportFile, replaceExportFile } from '../features/exports/export-file.ts'
import { HubRefusal } from '../features/hub/failures.ts'
import type { ImportBatch } from '../features/hub/imports.ts'
import type { HubJob } from '../features/hub/jobs.ts'
import { LeaseLost, storeBatch } from '../features/hub/store-batch.ts'
import type { FileBatch } from '../features/imports/jobs.ts'
import { storeFileBatch } from '../features/imports/store-batch.ts'
import { PrepareAgain } from '../lib/answer.ts'
import { later } from '../lib/clock.ts'
import { beginAttempt, finishJob, noteProgress, releaseLeases, retryJob, setJobPayload } from './queue.ts'
import { ATTEMPTS_MAX, claim, giveUp, handleFailure, LEASE_SECONDS, notifyJob, STOPPED_EACH_TIME } from './worker.ts'

export type HubInput =
  /** `busy` are users whose jobs stay queued, because enough of them are running. */
  | { kind: 'claim'; busy: Id[] }
  /** Stores a batch of an import. */
  | { kind: 'store'; job: HubJob; batch: ImportBatch }
  | { kind: 'store-file'; job: HubJob; batch: FileBatch }
  /** Extends the lease while the job is running. */
  | { kind: 'renew'; job: HubJob }
  /** `size` is the size in bytes of the file that an export has written. */
  | { kind: 'finish'; job: HubJob; size: number | null }
  | { kind: 'fail'; job: HubJob; message: string; isFinal: boolean }
  /** Gives up the lease because the process is stopping, so that other processes can claim the job immediately. */
  | { kind: 'release'; job: HubJob }

/** The job to continue with; null if there is none or if this process has lost its lease. */
export type HubOutput = HubJob | null

export interface HubExchange {
  run(input: HubInput): Promise<HubOutput>
}

export function createHubExchange(ctx: Context): HubExchange {
  let isFirst = true
  return {
    run: async input => {
      if (input.kind !== 'claim') return handle(ctx, input)
      // SQLite is used by one process only, so all existing leases belong to an earlier process that has ended.
      if (isFirst && ctx.db.dialect.name === 'sqlite') await releaseLeases(ctx.db, 'hub')
      isFirst = false
      return claimHubJob(ctx, input.busy)
    },
  }
}

async function claimHubJob(ctx: Context, busy: readonly Id[]): Promise<HubOutput> {
  // Safe cast: a hub job's name determines the type of its payload.
  const job = (await claim(ctx, 'hub', busy)) as HubJob | null
  if (!job) return null
  if (job.attempts >= ATTEMPTS_MAX) {
    await giveUp(ctx, job, STOPPED_EACH_TIME)
    return claimHubJob(ctx, busy)
  }
  notifyJob(ctx, job, 'started')
  const now = ctx.now()
  const leased_until = later(now, LEASE_SECONDS)
  return ctx.db.transaction(async db => {
    if (!(await beginAttempt(db, job, { now, leasedUntil: leased_until }))) return null
    const begun = { ...job, attempts: job.attempts + 1, leased_until }
    if (begun.name !== 'file-export') return begun
    const payload = await replaceExportFile(ctx, db, job.id, begun.payload, now)
    await setJobPayload(db, job.id, payload)
    return { ...begun, payload }
  })
}

function handle(ctx: Context, input: Exclude<HubInput, { kind: 'claim' }>): Promise<HubOutput> {
  const { job } = input
  if (input.kind === 'store') return store(ctx, job, until => storeBatch(ctx, expectJob(job, 'hub-import'), input.batch, until))
  if (input.kind === 'store-file') {
    return store(ctx, job, until => storeFileBatch(ctx, expectJob(job, 'file-import'), input.batch, until))
  }
  if (input.kind === 'renew') return renew(ctx, job)
  if (input.kind === 'finish') return finish(ctx, job, input.size)
  if (input.kind === 'fail') return fail(ctx, job, input)
  return release(ctx, job)
}

function expectJob<N extends HubJob['name']>(job: HubJob, name: N): Extract<HubJob, { name: N }> {
  if (job.name !== name) throw new Error(`A ${job.name} has no batches of a ${name}`)
  return job as Extract<HubJob, { name: N }>
}

async function store(ctx: Context, job: HubJob, storeUntil: (leasedUntil: string) => Promise<HubJob>): Promise<HubOutput> {
  try {
    return await storeUntil(later(ctx.now(), LEASE_SECONDS))
  } catch (error) {
    if (error instanceof LeaseLost) return null
    // The hub thread prepares the batch again, with the new settings.
    if (error instanceof PrepareAgain) return job
    return fail(ctx, job, { message: (error as Error).message, isFinal: error instanceof HubRefusal, error })
  }
}

async function renew(ctx: Context, job: HubJob): Promise<HubOutput> {
  const now = ctx.now()
  const leased_until = later(now, LEASE_SECONDS)
  // Renewing a lease is not progress, so the current attempt still counts.
  const isOurs = await noteProgress(ctx.db, job, { payload: job.payload, now, leasedUntil: leased_until, attempts: job.attempts })
  return isOurs ? { ...job, leased_until } : null
}

async function finish(ctx: Context, job: HubJob, size: number | null): Promise<null> {
  const payload = job.name === 'hub-export' ? { ...job.payload, token: null } : job.payload
  const isFinished = await ctx.db.transaction(async db => {
    const now = ctx.now()
    if (!(await finishJob(db, job, now))) return false
    await setJobPayload(db, job.id, payload)
    if (job.name === 'file-export' && size !== null) {
      await completeExportFile(ctx, db, job.id, { payload: job.payload, size, now })
    }
    return true
  })
  if (isFinished) notifyJob(ctx, job, 'finished')
  return null
}

interface JobFailure {
  message: string
  isFinal: boolean
  error?: unknown
}

async function fail(ctx: Context, job: HubJob, { message, isFinal, error = new Error(message) }: JobFailure): Promise<null> {
  if (ctx.db.dialect.isUnavailable(error)) throw error
  if (isFinal) await giveUp(ctx, job, message)
  else await handleFailure(ctx, job, error)
  return null
}

async function release(ctx: Context, job: HubJob): Promise<null> {
  const now = ctx.now()
  await retryJob(ctx.db, { ...job, attempts: Math.max(0, job.attempts - 1) }, { error: null, retryAt: now, now })
  return null
}
