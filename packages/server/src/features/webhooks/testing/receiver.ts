/** Deliveries without threads and sockets: `exchange` and `send` in turn, and a receiver that is a function. */
import type { EventName } from '@postil/domain/events'
import type { Webhook } from '@postil/domain/webhooks'
import { expect } from 'vitest'
import type { RequestContext } from '../../../context.ts'
import { webhookEvents } from '../../../events/subscribers/webhooks.ts'
import { later } from '../../../lib/clock.ts'
import { OutgoingError, type OutgoingRequest } from '../../../lib/outgoing.ts'
import type { Queryable } from '../../../storage/database.ts'
import { createWebhook } from '../create.ts'
import { type Attempt, type ExchangeResult, exchange, type Task } from '../exchange.ts'
import { createSend } from '../send.ts'

export interface ReceivedEvent {
  url: string
  type: EventName
  timestamp: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes.
  data: any
  headers: Record<string, string>
}

export interface Receiver {
  told: ReceivedEvent[]
  /** Returns the response status, or null for no response. */
  answer: (told: ReceivedEvent) => number | null
}

export const openReceiver = (): Receiver => ({ told: [], answer: () => 200 })

const MICROSECONDS = 3

/** Returns the context with webhooks and a clock that can be moved. */
export function withWebhooks<C extends RequestContext>(ctx: C): C & { moveClock(seconds: number): void } {
  let moved = 0
  return {
    ...ctx,
    subscribers: [...ctx.subscribers, webhookEvents],
    now: () => {
      const now = ctx.now()
      // Keeps the microseconds, so that times remain unique after the clock is moved.
      return moved === 0 ? now : later(now, moved).slice(0, -MICROSECONDS) + now.slice(-MICROSECONDS)
    },
    moveClock: seconds => {
      moved += seconds
    },
  }
}

export const addWebhook = (owner: RequestContext, events: EventName[], url = 'http://hooks.example/in'): Promise<Webhook> =>
  createWebhook(owner, { url, events })

export const openSender = (ctx: RequestContext, receiver: Receiver) =>
  createSend(ctx, async ({ url, headers, body }: OutgoingRequest) => {
    const told: ReceivedEvent = { url, headers, ...JSON.parse(String(body)) }
    receiver.told.push(told)
    const status = receiver.answer(told)
    if (status === null) throw new OutgoingError('No answer within 20 seconds.')
    return { status, excerpt: 'noted' }
  })

const PROCESS = 'process-1'

/**
 * Events are read only when all transactions of the PostgreSQL server that began before theirs have ended: also those of other
 * databases, where other tests run.
 */
export async function untilOthersEnd(db: Queryable): Promise<void> {
  if (db.dialect.name === 'sqlite') return
  const text = `select count(*) from pg_stat_activity
    where datname <> current_database() and backend_xid::text::bigint < (select max(xid) from webhook_events)`
  await expect.poll(() => db.sql.column<number>(text), { interval: 5 }).toEqual([0])
}

type Asked = Partial<Parameters<typeof exchange>[1]>

const askNow = (ctx: RequestContext, asked: Asked): Promise<ExchangeResult> =>
  exchange(ctx, { process: PROCESS, attempts: [], inFlight: [], overfull: [], isStopping: false, ...asked })

export async function ask(ctx: RequestContext, asked: Asked = {}): Promise<ExchangeResult> {
  await untilOthersEnd(ctx.db)
  return askNow(ctx, asked)
}

/** Sends everything that is due. Returns the time at which something is due again. */
export async function deliver(ctx: RequestContext, receiver: Receiver, process = PROCESS): Promise<string | null> {
  await untilOthersEnd(ctx.db)
  const send = openSender(ctx, receiver)
  let attempts: Attempt[] = []
  for (;;) {
    const { tasks, nextAt } = await askNow(ctx, { attempts, process })
    if (tasks.length === 0) return nextAt
    attempts = await Promise.all(tasks.map(async (task: Task) => ({ ...task, outcome: await send(task) })))
  }
}
