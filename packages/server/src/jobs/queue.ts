/**
 * Jobs are rows, written in the transaction of the change they follow from: what was answered will be done, whatever
 * happens to the process. A worker takes a lease; a job whose worker died is taken again when the lease runs out.
 *
 * The end of the lease is also its token: a worker that stood still until another one took the job has an older one, and changes nothing
 * any more.
 */

import type { Queryable } from '../storage/database.ts'
import type { JobName, JobPayload } from './all.ts'

export interface Job {
  id: string
  name: JobName
  payload: unknown
  /** Without progress since. */
  attempts: number
  leased_until: string
}

/** A job as the worker knows it who has taken it. */
type Lease = Pick<Job, 'id' | 'leased_until'>

interface Enqueued<N extends JobName> {
  id: string
  now: string
  name: N
  payload: JobPayload<N>
}

/** In a transaction of `write`, workers of other processes are told after the commit. */
export async function enqueue<N extends JobName>(
  db: Queryable & { hasJobs?: boolean },
  { id, now, name, payload }: Enqueued<N>,
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

/** Later times than these were written by a clock that has been set back since. */
interface TooFar {
  run_at: string
  leased_until: string
}

/** Queued, or left by a worker that died. Times too far ahead count as past: after a clock was set back, no job waits for them. */
const DUE = `(status = 'queued' and (run_at <= ? or run_at > ?)) or (status = 'started' and (leased_until < ? or leased_until > ?))`

const dueParams = (now: string, tooFar: TooFar) => [now, tooFar.run_at, now, tooFar.leased_until]

/** Whether a job is due, without locking anything. */
export async function isJobDue(db: Queryable, now: string, tooFar: TooFar): Promise<boolean> {
  return (await db.sql.get(`select 1 from jobs where ${DUE} limit 1`, dueParams(now, tooFar))) !== undefined
}

interface Claim {
  now: string
  leasedUntil: string
  tooFar: TooFar
}

/** Takes the oldest job that is due. The attempt counts when it begins: until then, the job cannot be what ends the process. */
export async function claimJob(db: Queryable, { now, leasedUntil, tooFar }: Claim): Promise<Job | null> {
  const row = await db.sql.get<{ id: string; name: JobName; payload: string; attempts: number }>(
    `select id, name, payload, attempts from jobs where ${DUE}
     order by run_at limit 1${db.dialect.name === 'postgres' ? ' for update skip locked' : ''}`,
    dueParams(now, tooFar),
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

/** Counts the attempt that begins. This and the following answer false if the job was canceled or taken by another worker meanwhile. */
export async function beginAttempt(db: Queryable, lease: Lease, { now, leasedUntil }: { now: string; leasedUntil: string }) {
  const text = `update jobs set attempts = attempts + 1, leased_until = ?, updated_at = ? where ${IS_LEASED}`
  return (await db.sql.run(text, [leasedUntil, now, lease.id, lease.leased_until])).changes > 0
}

/** Notes that a piece is done: the attempts before it count no more. */
export async function noteProgress(
  db: Queryable,
  lease: Lease,
  { payload, now, leasedUntil }: { payload: unknown; now: string; leasedUntil: string },
): Promise<boolean> {
  const text = `update jobs set payload = ?, attempts = 0, error = null, leased_until = ?, updated_at = ? where ${IS_LEASED}`
  return (await db.sql.run(text, [JSON.stringify(payload), leasedUntil, now, lease.id, lease.leased_until])).changes > 0
}

export async function finishJob(db: Queryable, { id, leased_until }: Lease, now: string): Promise<boolean> {
  const text = `update jobs set status = 'finished', error = null, leased_until = null, finished_at = ?, updated_at = ?
    where ${IS_LEASED}`
  return (await db.sql.run(text, [now, now, id, leased_until])).changes > 0
}

/** Ends a job before it is done. */
export async function cancelJob(db: Queryable, id: string, now: string): Promise<boolean> {
  const text = `update jobs set status = 'canceled', leased_until = null, finished_at = ?, updated_at = ?
    where id = ? and status in ('queued', 'started')`
  return (await db.sql.run(text, [now, now, id])).changes > 0
}

/** Lets jobs be taken again whose worker is gone, without waiting for their leases. */
export async function releaseLeases(db: Queryable): Promise<void> {
  await db.sql.run("update jobs set leased_until = '' where status = 'started'")
}

/** Queues the job again for `retryAt`. */
export async function retryJob(
  db: Queryable,
  { id, attempts, leased_until }: Lease & Pick<Job, 'attempts'>,
  { error, retryAt, now }: { error: string | null; retryAt: string; now: string },
): Promise<boolean> {
  const text = `update jobs set status = 'queued', attempts = ?, run_at = ?, leased_until = null, error = ?, updated_at = ?
    where ${IS_LEASED}`
  return (await db.sql.run(text, [attempts, retryAt, error, now, id, leased_until])).changes > 0
}

/** Gives the job up. */
export async function failJob(
  db: Queryable,
  { id, leased_until }: Lease,
  { error, now }: { error: string; now: string },
): Promise<boolean> {
  const text = `update jobs set status = 'failed', leased_until = null, error = ?, finished_at = ?, updated_at = ?
    where ${IS_LEASED}`
  return (await db.sql.run(text, [error, now, now, id, leased_until])).changes > 0
}

/** Queues a job again that was given up, with all its attempts. */
export async function requeueJob(db: Queryable & { hasJobs?: boolean }, id: string, now: string): Promise<void> {
  const text = `update jobs set status = 'queued', attempts = 0, run_at = ?, error = null, finished_at = null, updated_at = ?
    where id = ? and status = 'failed'`
  await db.sql.run(text, [now, now, id])
  db.hasJobs = true
}

/** Forgets finished jobs after a while, failed ones much later. */
export async function forgetJobs(db: Queryable, before: { finished: string; failed: string }): Promise<void> {
  await db.sql.run("delete from jobs where status in ('finished', 'canceled') and finished_at < ?", [before.finished])
  await db.sql.run("delete from jobs where status = 'failed' and finished_at < ?", [before.failed])
}

export async function findJobStatus(db: Queryable, id: string): Promise<string | null> {
  const row = await db.sql.get<{ status: string }>('select status from jobs where id = ?', [id])
  return row?.status ?? null
}
