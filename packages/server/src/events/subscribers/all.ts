/**
 * Who listens to events. A durable subscriber writes job rows inside the transaction, so that a crash between "saved" and
 * "told" loses nothing; a passing one is told after commit and may miss some.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import type { Tx } from '../../storage/write.ts'
import type { Event, Notice } from '../emit.ts'
import { webhookEvents } from './webhooks.ts'

export interface Subscriber {
  /** Before commit, in the same transaction. If transactions share a commit (`ctx.left`), it may answer what `store` stores for all of them. */
  enqueue?(ctx: Context, tx: Tx, events: readonly Event[]): Promise<unknown>
  /** Before the commit that transactions share: stores what those that were not undone have left. */
  store?(db: Queryable, left: readonly unknown[]): Promise<void>
  /** After commit. */
  tell?(ctx: Context, told: Told): void
}

/** What a transaction leaves to be stored with the commit that it shares with others. */
export interface Left {
  subscriber: Subscriber
  what: unknown
}

/** Call it at the end of a group of transactions, before their commit. */
export async function storeLeft(db: Queryable, left: readonly Left[]): Promise<void> {
  for (const [subscriber, own] of Map.groupBy(left, ({ subscriber }) => subscriber)) {
    await subscriber.store?.(
      db,
      own.map(({ what }) => what),
    )
  }
}

/** What a transaction leaves to be told. */
export interface Told {
  events: readonly Event[]
  notices: readonly Notice[]
  /** The new numbers of the logs that have grown. */
  heads: ReadonlyMap<Id, number>
  /** Jobs were queued. */
  hasJobs?: boolean
}

export const SUBSCRIBERS: Subscriber[] = [webhookEvents]
