/**
 * Event subscribers. A durable subscriber (`enqueue`) writes rows inside the transaction, so that a crash after the commit loses
 * nothing. A transient one (`tell`) is notified after the commit and may miss events.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import type { Tx } from '../../storage/write.ts'
import type { Event, Notice } from '../emit.ts'
import { webhookEvents } from './webhooks.ts'

export interface Subscriber {
  /**
   * Called before the commit, in the same transaction. If transactions share a commit (`ctx.deferred`), it may return data that
   * `store` then stores for all of them.
   */
  enqueue?(ctx: Context, tx: Tx, events: readonly Event[]): unknown
  /** Called before a shared commit, with the data that `enqueue` returned in the transactions that were not rolled back. */
  store?(db: Queryable, deferred: readonly unknown[]): Promise<void>
  /** Called after the commit. */
  tell?(ctx: Context, notification: CommitNotification): void
}

/** Data that a transaction leaves to be stored before the commit that it shares with others. */
export interface DeferredData {
  subscriber: Subscriber
  data: unknown
}

/** Must be called at the end of a group of transactions, before their commit. */
export async function storeDeferred(db: Queryable, deferred: readonly DeferredData[]): Promise<void> {
  for (const [subscriber, own] of Map.groupBy(deferred, ({ subscriber }) => subscriber)) {
    await subscriber.store?.(
      db,
      own.map(({ data }) => data),
    )
  }
}

/** Notifications of a committed transaction. */
export interface CommitNotification {
  events: readonly Event[]
  notices: readonly Notice[]
  /** Newest entry numbers of the logs that have grown. */
  heads: ReadonlyMap<Id, number>
  /** True if jobs were queued. */
  hasJobs?: boolean
}

export const SUBSCRIBERS: Subscriber[] = [webhookEvents]
