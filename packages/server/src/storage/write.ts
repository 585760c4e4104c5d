import type { Context } from '../context.ts'
import type { Event, Notice } from '../events/emit.ts'
import type { Queryable } from './database.ts'

/** A transaction and what happened in it so far. */
export interface Tx extends Queryable {
  events: Event[]
  notices: Notice[]
}

/**
 * Runs a use case's story in one transaction, reading included: what was checked still holds when it is written. All of
 * it is stored, or nothing. Subscribers hear of it after the commit.
 */
export async function write<T>(ctx: Context, story: (tx: Tx) => Promise<T>): Promise<T> {
  const events: Event[] = []
  const notices: Notice[] = []
  const result = await ctx.db.transaction(async db => {
    const tx: Tx = { ...db, events, notices }
    const value = await story(tx)
    for (const subscriber of ctx.subscribers) await subscriber.enqueue?.(ctx, tx, events)
    return value
  })
  if (events.length + notices.length > 0) {
    ctx.afterCommit(() => {
      for (const subscriber of ctx.subscribers) subscriber.tell?.(ctx, events, notices)
    })
  }
  return result
}
