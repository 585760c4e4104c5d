/** Two processes on one database: each has connections, a clock, ids and a cache of its own. */
import { expect } from 'vitest'
import type { Context } from '../context.ts'
import { openClock } from '../lib/clock.ts'
import { openIds } from '../lib/uuid.ts'
import type { Database, Queryable } from '../storage/database.ts'

/** The context as another process has it. */
export const inProcess = <C extends Context>(ctx: C, db: Database): C => ({ ...ctx, db, now: openClock(), newId: openIds() })

/** Transactions that wait for a lock. */
async function countWaiting(db: Queryable): Promise<number> {
  const text = "select count(*) as waiting from pg_stat_activity where wait_event_type = 'Lock'"
  return (await db.sql.get<{ waiting: number }>(text))?.waiting ?? 0
}

export async function untilWaiting(db: Queryable): Promise<void> {
  await expect.poll(() => countWaiting(db)).toBe(1)
}

interface Race<A, B> {
  /** Written, but not committed when the second one begins. */
  first: (ctx: Gate) => Promise<A>
  second: () => Promise<B>
}

/** Gives a context of which transactions stop before their commit. */
type Gate = <C extends Context>(ctx: C) => C

/**
 * Runs the second while the first has written and not committed; the first commits when the second waits for it, or is done without. Only
 * on PostgreSQL; SQLite runs them one after the other.
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
