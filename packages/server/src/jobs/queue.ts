/**
 * Job queue in the database. A job is a row that is inserted in the transaction of the change that causes it, so a job is not
 * lost if the process ends after the change was confirmed. A worker claims a job with a lease; if the worker dies, the job can be
 * claimed again when the lease expires.
 *
 * The expiry time of the lease is also its token: a worker that was suspended until another one claimed the job has an outdated
 * token, and its updates have no effect.
 */

import type { Id } from '@postil/domain/schema'
import { HUB_JOBS } from '../features/hub/jobs.ts'
import { marks, type Queryable } from '../storage/database.ts'
import type { JobName, JobPayload } from './all.ts'

export interface Job {
  id: string
  name: JobName
  payload: unknown
  /** Attempts since the last progress. */
  attempts: number
  leased_until: string
}

/** Identifies a claimed job and the lease of its worker. */
type Lease = Pick<Job, 'id' | 'leased_until'>

interface NewJob<N extends JobName> {
  id: string
  now: string
  name: N
  payload: JobPayload<N>
}

/** In a transaction of `write`, workers of other processes are notified after the commit. */
export async function enqueue<N extends JobName>(
  db: Queryable & { hasJobs?: boolean },
  { id, now, name, payload }: NewJob<N>,
): Promise<void> {
  const row = {
    id,
    name,
    payload: JSON.stringify(payload),
    status: 'queued',
    attempts: 0,
    run_at: now,
    inserted_at: now,
    updated_at: now,
  }
  await db.kysely.insertInto('jobs').values(row).execute()
  db.hasJobs = true
}

/** Upper limits for plausible times. Later times were written before the clock was set back. */
interface TimeLimits {
  run_at: string
  leased_until: string
}

/**
 * Matches queued jobs that are due and jobs with an expired lease. Implausibly late times count as past, so that no job waits for
 * them after the clock was set back.
 */
const DUE = `(status = 'queued' and (run_at <= ? or run_at > ?)) or (status = 'started' and (leased_until < ? or leased_until > ?))`

const dueParams = (now: string, tooFar: TimeLimits) => [now, tooFar.run_at, now, tooFar.leased_until, ...HUB_JOBS]

/** Thread that runs a job: the writer between calls, or the hub thread. Jobs with an unknown name belong to the writer. */
export type RunBy = 'writer' | 'hub'

const runByCondition = (runBy: RunBy) => `name ${runBy === 'hub' ? 'in' : 'not in'} (${marks(HUB_JOBS)})`

/** Returns true if a job is due. Takes no locks. */
export async function isJobDue(db: Queryable, now: string, tooFar: TimeLimits, runBy: RunBy): Promise<boolean> {
  const text = `select 1 from jobs where (${DUE}) and ${runByCondition(runBy)} limit 1`
  return (await db.sql.get(text, dueParams(now, tooFar))) !== undefined
}

const ACTOR = { sqlite: "json_extract(payload, '$.actor_id')", postgres: "payload::json ->> 'actor_id'" }

interface Claim {
  now: string
  leasedUntil: string
  tooFar: TimeLimits
  runBy: RunBy
  /** Users whose jobs stay queued. */
  busy?: readonly Id[]
}

/**
 * Claims the oldest job that is due. Does not count an attempt: `beginAttempt` does, because a job that has not begun cannot
 * crash the process.
 */
export async function claimJob(db: Queryable, { now, leasedUntil, tooFar, runBy, busy = [] }: Claim): Promise<Job | null> {
  const row = await db.sql.get<{ id: string; name: JobName; payload: string; attempts: number }>(
    `select id, name, payload, attempts from jobs where (${DUE}) and ${runByCondition(runBy)}
     ${busy.length > 0 ? `and ${ACTOR[db.dialect.name]} not in (${marks(busy)})` : ''}
     order by run_at limit 1${db.dialect.name === 'postgres' ? ' for update skip locked' : ''}`,
    [...dueParams(now, tooFar), ...busy],
  )
  if (!row) return null
  await db.sql.run("update jobs set status = 'started', leased_until = ?, updated_at = ? where id = ?", [
    leasedUntil,
    now,
    row.id,
  ])
  return { ...row, payload: JSON.parse(row.payload), leased_until: leasedUntil }
}

const IS_LEASED = "id = ? and status = 'started' and leased_until = ?"

/**
 * Counts an attempt. Like the functions below that take a lease, returns false if the job was canceled or claimed by another
 * worker in the meantime.
 */
export async function beginAttempt(db: Queryable, lease: Lease, { now, leasedUntil }: { now: string; leasedUntil: string }) {
  const text = `update jobs set attempts = attempts + 1, leased_until = ?, updated_at = ? where ${IS_LEASED}`
  return (await db.sql.run(text, [leasedUntil, now, lease.id, lease.leased_until])).changes > 0
}

/** Stores the payload after a step and sets the number of attempts to `attempts`, by default 0. */
export async function noteProgress(
  db: Queryable,
  lease: Lease,
  { payload, now, leasedUntil, attempts = 0 }: { payload: unknown; now: string; leasedUntil: string; attempts?: number },
): Promise<boolean> {
  const text = `update jobs set payload = ?, attempts = ?, error = null, leased_until = ?, updated_at = ? where ${IS_LEASED}`
  return (await db.sql.run(text, [JSON.stringify(payload), attempts, leasedUntil, now, lease.id, lease.leased_until])).changes > 0
}

export async function finishJob(db: Queryable, { id, leased_until }: Lease, now: string): Promise<boolean> {
  const text = `update jobs set status = 'finished', error = null, leased_until = null, finished_at = ?, updated_at = ?
    where ${IS_LEASED}`
  return (await db.sql.run(text, [now, now, id, leased_until])).changes > 0
}

/** Returns false if the job has already ended. */
export async function cancelJob(db: Queryable, id: string, now: string): Promise<boolean> {
  const text = `update jobs set status = 'canceled', leased_until = null, finished_at = ?, updated_at = ?
    where id = ? and status in ('queued', 'started')`
  return (await db.sql.run(text, [now, now, id])).changes > 0
}

/** Makes all started jobs claimable again without waiting for their leases to expire. Only valid if their workers have ended. */
export async function releaseLeases(db: Queryable, runBy: RunBy): Promise<void> {
  await db.sql.run(`update jobs set leased_until = '' where status = 'started' and ${runByCondition(runBy)}`, HUB_JOBS)
}

/** Replaces the payload, even if the job has ended. */
export async function setJobPayload(db: Queryable, id: string, payload: unknown): Promise<void> {
  await db.sql.run('update jobs set payload = ? where id = ?', [JSON.stringify(payload), id])
}

export async function retryJob(
  db: Queryable,
  { id, attempts, leased_until }: Lease & Pick<Job, 'attempts'>,
  { error, retryAt, now }: { error: string | null; retryAt: string; now: string },
): Promise<boolean> {
  const text = `update jobs set status = 'queued', attempts = ?, run_at = ?, leased_until = null, error = ?, updated_at = ?
    where ${IS_LEASED}`
  return (await db.sql.run(text, [attempts, retryAt, error, now, id, leased_until])).changes > 0
}

/** Marks the job as failed for good. */
export async function failJob(
  db: Queryable,
  { id, leased_until }: Lease,
  { error, now }: { error: string; now: string },
): Promise<boolean> {
  const text = `update jobs set status = 'failed', leased_until = null, error = ?, finished_at = ?, updated_at = ?
    where ${IS_LEASED}`
  return (await db.sql.run(text, [error, now, now, id, leased_until])).changes > 0
}

/** Queues a failed job again, with its full number of attempts. */
export async function requeueJob(db: Queryable & { hasJobs?: boolean }, id: string, now: string): Promise<void> {
  const text = `update jobs set status = 'queued', attempts = 0, run_at = ?, error = null, finished_at = null, updated_at = ?
    where id = ? and status = 'failed'`
  await db.sql.run(text, [now, now, id])
  db.hasJobs = true
}

/** Deletes finished and canceled jobs after a short time, and failed ones much later. */
export async function deleteOldJobs(db: Queryable, before: { finished: string; files: string; failed: string }): Promise<void> {
  const text = "delete from jobs where status in ('finished', 'canceled') and finished_at < ?"
  await db.sql.run(`${text} and name not like 'file-%'`, [before.finished])
  // File jobs are kept longer because users view them later and download the files that they have created.
  await db.sql.run(text, [before.files])
  await db.sql.run("delete from jobs where status = 'failed' and finished_at < ?", [before.failed])
}

export async function findJobStatus(db: Queryable, id: string): Promise<string | null> {
  const row = await db.sql.get<{ status: string }>('select status from jobs where id = ?', [id])
  return row?.status ?? null
}

export const isHubJob = (name: string): boolean => (HUB_JOBS as readonly string[]).includes(name)
