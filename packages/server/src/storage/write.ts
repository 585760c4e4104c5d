import { DomainError } from '@postil/domain/errors'
import type { Actor } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { Event, Notice } from '../events/emit.ts'
import type { Left } from '../events/subscribers/all.ts'
import { appendChanges } from './changes.ts'
import type { Queryable } from './database.ts'
import type { HeadChange } from './heads.ts'

/** A transaction and what happened in it so far. */
export interface Tx extends Queryable {
  events: Event[]
  notices: Notice[]
  /** Who acts, for the log; null for the server itself. A job that acts for a user sets it. */
  actorId: Id | null
  /** What is written to the heads and logs of datasets when the story ends. */
  heads: Map<Id, HeadChange>
  /** Jobs were queued. */
  hasJobs: boolean
}

/**
 * Runs a use case's story in one transaction, reading included: what was checked still holds when it is written. All of
 * it is stored, or nothing. Subscribers hear of it after the commit.
 */
export async function write<T>(ctx: Acting, story: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await store(ctx, story)
  } catch (error) {
    throw (await isActorDeleted(ctx, error)) ? new DomainError('unauthenticated', 'This user was deleted just now.') : error
  }
}

type Acting = Context & { actor?: Actor }

/** Credentials are checked before the transaction begins: the user may be deleted in between. */
async function isActorDeleted({ db, actor }: Acting, error: unknown): Promise<boolean> {
  if (!actor || !db.dialect.isForeignKeyViolation(error)) return false
  return (await db.sql.get('select 1 from users where id = ?', [actor.id])) === undefined
}

async function store<T>(ctx: Acting, story: (tx: Tx) => Promise<T>): Promise<T> {
  const { value, events, notices, heads, left, hasJobs } = await ctx.db.transaction(async db => {
    const tx: Tx = { ...db, events: [], notices: [], actorId: ctx.actor?.id ?? null, heads: new Map(), hasJobs: false }
    const value = await story(tx)
    const left: Left[] = []
    for (const subscriber of ctx.subscribers) {
      const what = await subscriber.enqueue?.(ctx, tx, tx.events)
      if (what !== undefined) left.push({ subscriber, what })
    }
    // Last, because other writers of these datasets wait from here to the commit.
    const heads: ReadonlyMap<Id, number> =
      tx.heads.size > 0 ? await appendChanges(tx, tx.heads, { actorId: tx.actorId, now: ctx.now() }) : new Map()
    return { value, events: tx.events, notices: tx.notices, heads, left, hasJobs: tx.hasJobs }
  })
  ctx.left?.push(...left)
  if (events.length + notices.length + heads.size > 0 || hasJobs) {
    ctx.afterCommit(() => {
      for (const subscriber of ctx.subscribers) subscriber.tell?.(ctx, { events, notices, heads, hasJobs })
    })
  }
  return value
}
