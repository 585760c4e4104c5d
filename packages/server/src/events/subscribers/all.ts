/**
 * Who listens to events. A durable subscriber writes job rows inside the transaction, so that a crash between "saved" and
 * "told" loses nothing; a passing one is told after commit and may miss some.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import type { Event, Notice } from '../emit.ts'

import { webhookEvents } from './webhooks.ts'

export interface Subscriber {
  /** Before commit, in the same transaction. */
  enqueue?(ctx: Context, tx: Tx, events: readonly Event[]): Promise<void>
  /** After commit. */
  tell?(ctx: Context, told: Told): void
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
