/**
 * Jobs are rows, written in the transaction of the change they follow from: what was answered will be done, whatever
 * happens to the process. A worker takes a lease; a job whose worker died is taken again when the lease runs out.
 */

import type { Queryable } from '../storage/database.ts'
import type { JobName, JobPayload } from './all.ts'

export interface Job {
  id: string
  name: JobName
  payload: unknown
  attempts: number
}

interface Enqueued<N extends JobName> {
  id: string
  now: string
  name: N
  payload: JobPayload<N>
}

export async function enqueue<N extends JobName>(db: Queryable, { id, now, name, payload }: Enqueued<N>): Promise<void> {
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

/** Takes the oldest job that is due, and counts the attempt. */
export async function claimJob(db: Queryable, { now, leasedUntil, tooFar }: Claim): Promise<Job | null> {
  const row = await db.sql.get<{ id: string; name: JobName; payload: string; attempts: number }>(
    `select id, name, payload, attempts from jobs where ${DUE}
     order by run_at limit 1${db.dialect.name === 'postgres' ? ' for update skip locked' : ''}`,
    dueParams(now, tooFar),
  )
  if (!row) return null
  await db.sql.run("update jobs set status = 'started', attempts = attempts + 1, leased_until = ?, updated_at = ? where id = ?", [
    leasedUntil,
    now,
    row.id,
  ])
  return { ...row, payload: JSON.parse(row.payload), attempts: row.attempts + 1 }
}

/** Notes that a piece is done: the attempts before it count no more. */
export async function noteProgress(
  db: Queryable,
  id: string,
  { payload, now, leasedUntil }: { payload: unknown; now: string; leasedUntil: string },
): Promise<void> {
  const text = `update jobs set payload = ?, attempts = 0, leased_until = ?, updated_at = ? where id = ? and status = 'started'`
  await db.sql.run(text, [JSON.stringify(payload), leasedUntil, now, id])
}

export async function finishJob(db: Queryable, id: string, now: string): Promise<void> {
  await endJob(db, id, 'finished', now)
}

/** Ends a job before it is done. */
export async function cancelJob(db: Queryable, id: string, now: string): Promise<void> {
  await endJob(db, id, 'canceled', now)
}

/** A job that was canceled while a piece of it ran stays so. */
async function endJob(db: Queryable, id: string, status: 'finished' | 'canceled', now: string): Promise<void> {
  const text = `update jobs set status = ?, leased_until = null, finished_at = ?, updated_at = ?
    where id = ? and status in ('queued', 'started')`
  await db.sql.run(text, [status, now, now, id])
}

/** Lets jobs be taken again whose worker is gone, without waiting for their leases. */
export async function releaseLeases(db: Queryable): Promise<void> {
  await db.sql.run("update jobs set leased_until = '' where status = 'started'")
}

/** Queues the job again for `retryAt`. */
export async function retryJob(
  db: Queryable,
  { id, attempts }: Pick<Job, 'id' | 'attempts'>,
  { error, retryAt, now }: { error: string; retryAt: string; now: string },
): Promise<void> {
  const text = `update jobs set status = 'queued', attempts = ?, run_at = ?, leased_until = null, error = ?, updated_at = ?
    where id = ? and status = 'started'`
  await db.sql.run(text, [attempts, retryAt, error, now, id])
}

/** Gives the job up. */
export async function failJob(db: Queryable, id: string, { error, now }: { error: string; now: string }): Promise<void> {
  const text = `update jobs set status = 'failed', leased_until = null, error = ?, finished_at = ?, updated_at = ?
    where id = ? and status = 'started'`
  await db.sql.run(text, [error, now, now, id])
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
