import { DomainError } from '@postil/domain/errors'
import type { Actor } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { Event, Notice } from '../events/emit.ts'
import type { DeferredData } from '../events/subscribers/all.ts'
import { appendChanges } from './changes.ts'
import type { Queryable } from './database.ts'
import type { HeadChange } from './heads.ts'

/** A transaction with its pending events and changes. */
export interface Tx extends Queryable {
  events: Event[]
  notices: Notice[]
  /** Acting user for the log; null for the server itself. A job that acts for a user sets it. */
  actorId: Id | null
  /** Changes that are written to the heads and logs of datasets when the story ends. */
  heads: Map<Id, HeadChange>
  /** True if jobs were queued. */
  hasJobs: boolean
}

/**
 * Runs a use case in one transaction, including its reads, so that checks still hold when data is written. Either everything is
 * stored or nothing. Subscribers are notified after the commit.
 */
export async function write<T>(ctx: ActingContext, story: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await store(ctx, story)
  } catch (error) {
    throw (await isActorDeleted(ctx, error)) ? new DomainError('unauthenticated', 'This user was deleted just now.') : error
  }
}

type ActingContext = Context & { actor?: Actor }

/** Credentials are checked before the transaction begins, so the user may have been deleted in between. */
async function isActorDeleted({ db, actor }: ActingContext, error: unknown): Promise<boolean> {
  if (!actor || !db.dialect.isForeignKeyViolation(error)) return false
  return (await db.sql.get('select 1 from users where id = ?', [actor.id])) === undefined
}

async function store<T>(ctx: ActingContext, story: (tx: Tx) => Promise<T>): Promise<T> {
  const { value, events, notices, heads, deferred, hasJobs } = await ctx.db.transaction(async db => {
    const tx: Tx = { ...db, events: [], notices: [], actorId: ctx.actor?.id ?? null, heads: new Map(), hasJobs: false }
    const value = await story(tx)
    const deferred: DeferredData[] = []
    for (const subscriber of ctx.subscribers) {
      const data = await subscriber.enqueue?.(ctx, tx, tx.events)
      if (data !== undefined) deferred.push({ subscriber, data })
    }
    // Last, because other writers of these datasets wait from here until the commit.
    const heads: ReadonlyMap<Id, number> =
      tx.heads.size > 0 ? await appendChanges(tx, tx.heads, { actorId: tx.actorId, now: ctx.now() }) : new Map()
    return { value, events: tx.events, notices: tx.notices, heads, deferred, hasJobs: tx.hasJobs }
  })
  ctx.deferred?.push(...deferred)
  if (events.length + notices.length + heads.size > 0 || hasJobs) {
    ctx.afterCommit(() => {
      for (const subscriber of ctx.subscribers) subscriber.tell?.(ctx, { events, notices, heads, hasJobs })
    })
  }
  return value
}
