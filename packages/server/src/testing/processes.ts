/** Two processes on one database: each has its own connections, clock, ids and cache. */
import { expect } from 'vitest'
import type { Context } from '../context.ts'
import { openClock } from '../lib/clock.ts'
import { createIdGenerator } from '../lib/uuid.ts'
import type { Database, Queryable } from '../storage/database.ts'

/** Returns the context of another process. */
export const inProcess = <C extends Context>(ctx: C, db: Database): C => ({
  ...ctx,
  db,
  now: openClock(),
  newId: createIdGenerator(),
})

/** Counts transactions that wait for a lock. */
async function countWaiting(db: Queryable): Promise<number> {
  const text = `select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return (await db.sql.get<{ waiting: number }>(text))?.waiting ?? 0
}

export async function untilWaiting(db: Queryable): Promise<void> {
  await expect.poll(() => countWaiting(db)).toBe(1)
}

interface Race<A, B> {
  /** Has written, but not committed, when `second` begins. */
  first: (ctx: Gate) => Promise<A>
  second: () => Promise<B>
}

/** Returns a context whose transactions stop before their commit. */
type Gate = <C extends Context>(ctx: C) => C

/**
 * Runs `second` while `first` has written but not committed. `first` commits when `second` waits for it, or is done without
 * waiting. Only on PostgreSQL; SQLite runs them one after the other.
 */
export async function race<A, B>(
  db: Queryable,
  { first, second }: Race<A, B>,
): Promise<[PromiseSettledResult<A>, PromiseSettledResult<B>]> {
  if (db.dialect.name === 'sqlite') {
    const [one] = await Promise.allSettled([first(ctx => ctx)])
    const [two] = await Promise.allSettled([second()])
    return [one, two]
  }
  const written = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const enqueue = async () => {
    written.resolve()
    await gate.promise
  }
  const running = first(ctx => ({ ...ctx, subscribers: [...ctx.subscribers, { enqueue }] }))
  await Promise.race([written.promise, running])
  let isDone = false
  const end = () => {
    isDone = true
  }
  const other = second()
  other.then(end, end)
  await expect.poll(async () => isDone || (await countWaiting(db)) > 0).toBe(true)
  gate.resolve()
  return Promise.allSettled([running, other])
}
