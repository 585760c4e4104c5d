/**
 * The writing part of delivery: stores the outcomes of attempts and selects what to send next, in one transaction.
 *
 * Deliveries are created from event rows only when they can be sent, so that a target that hangs costs only its place in these
 * rows. Deliveries with the same key (a record or a dataset) are sent one after the other.
 */

import type { Id } from '@postil/domain/schema'
import { isDelivered, retryPause } from '@postil/domain/webhooks'
import type { Context } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DeliveryRow, listDeliveriesByIds, listWaiting, updateOutcomes } from './delivery-store.ts'
import { createDeliveries, isDue } from './fill.ts'
import { hasLease, isLeasedByOthers, withLease } from './lease.ts'
import { pauseWebhook } from './pause.ts'
import { listWebhooksToChange, updateWebhook, type WebhookRow } from './store.ts'

/** A delivery to send. */
export interface Task {
  delivery_id: Id
  webhook_no: number
}

/** Outcome of an attempt. `unsent` means that nothing was sent and nothing has to be stored. */
export type Outcome =
  | { kind: 'answered'; status: number; excerpt: string; duration_ms: number }
  | { kind: 'failed'; error: string; duration_ms: number; isFinal?: boolean }
  | { kind: 'unsent' }

export interface Attempt extends Task {
  outcome: Outcome
}

export interface ExchangeInput {
  /** Id of the calling process. */
  process: Id
  attempts: readonly Attempt[]
  /** Deliveries that this process is sending now. */
  inFlight: readonly Task[]
  /** Numbers of webhooks with too many waiting events. */
  overfull: readonly number[]
  /** True if the process stops: it sends nothing more and returns its leases. */
  isStopping?: boolean
}

export interface ExchangeResult {
  tasks: Task[]
  /** Time of the next exchange, unless something happens before; null if none is needed. */
  nextAt: string | null
  /** True if no webhook can have more in flight, so that new events have no effect until an attempt ends. */
  isFull: boolean
}

/**
 * Limits of deliveries in flight, per webhook and in total. Each webhook has its own share, so that targets that hang do not
 * block the others.
 */
const IN_FLIGHT_MAX = { each: 8, all: 32 }
/** Delay before checking webhooks that another process delivers for. */
const LEASED_LOOK_SECONDS = 10

export function exchange(ctx: Context, input: ExchangeInput): Promise<ExchangeResult> {
  return ctx.db.transaction(async db => {
    const webhooks = await listWebhooksToChange(db)
    const stored = new Map(webhooks.map(row => [row.no, { ...row }]))
    const now = ctx.now()
    await storeAttempts(ctx, db, webhooks, input.attempts, now)
    for (const row of webhooks) {
      if (input.overfull.includes(row.no)) await pauseWebhook(ctx, db, row, backlogMessage(ctx.config.webhooksWaitingMax), now)
    }
    const most = Math.min(IN_FLIGHT_MAX.each, Math.floor(IN_FLIGHT_MAX.all / Math.max(1, webhooks.length)))
    const chosen: Selection[] = []
    for (const row of webhooks) chosen.push(await selectTasks(ctx, db, row, { input, most, now }))
    for (const row of webhooks) if (isChanged(row, stored.get(row.no))) await updateWebhook(db, row)
    return {
      tasks: chosen.flatMap(({ tasks }) => tasks),
      nextAt: chosen.flatMap(({ nextAt }) => nextAt ?? []).toSorted()[0] ?? null,
      isFull: chosen.every(({ isFull }) => isFull),
    }
  })
}

const backlogMessage = (most: number) =>
  `More than ${most} events waited to be delivered, and were given up. Enable the webhook when its target works again.`

const isChanged = (row: WebhookRow, before: WebhookRow | undefined) => JSON.stringify(row) !== JSON.stringify(before)

async function storeAttempts(
  ctx: Context,
  db: Queryable,
  webhooks: readonly WebhookRow[],
  attempts: readonly Attempt[],
  now: string,
): Promise<void> {
  const sent = attempts.filter(({ outcome }) => outcome.kind !== 'unsent')
  const rows = await listDeliveriesByIds(
    db,
    sent.map(({ delivery_id }) => delivery_id),
  )
  const byId = new Map(rows.map(row => [row.id, row]))
  const ended: DeliveryRow[] = []
  for (const { delivery_id, outcome } of sent) {
    const row = byId.get(delivery_id)
    // The delivery may have failed, or another process may have sent it, in the meantime.
    if (row?.status !== 'waiting' || outcome.kind === 'unsent') continue
    const webhook = webhooks.find(({ no }) => no === row.webhook_no)
    if (!webhook) continue
    ended.push(withOutcome(row, outcome, now))
    updateHealth(webhook, outcome, now)
  }
  await updateOutcomes(db, ended)
  const longAgo = later(now, -ctx.config.webhooksPauseAfterSeconds)
  for (const webhook of webhooks) {
    if (webhook.failing_since === null || webhook.failing_since > longAgo) continue
    // Pauses only after all retries of a delivery, because a single attempt may fail for a temporary reason.
    const hasGivenUp = ended.some(({ webhook_no, status }) => webhook_no === webhook.no && status === 'failed')
    if (hasGivenUp) await pauseWebhook(ctx, db, webhook, failureMessage(webhook), now)
  }
}

const failureMessage = ({ failing_since, message }: WebhookRow) =>
  `Every delivery has failed since ${failing_since}Z; what waited was given up. The last error: ${message}`

function withOutcome(row: DeliveryRow, outcome: Exclude<Outcome, { kind: 'unsent' }>, now: string): DeliveryRow {
  const attempts = row.attempts + 1
  const { duration_ms } = outcome
  const answer =
    outcome.kind === 'answered'
      ? { response_status: outcome.status, response_excerpt: outcome.excerpt, error: null }
      : { response_status: null, response_excerpt: null, error: outcome.error }
  const ended = { ...row, ...answer, attempts, duration_ms, updated_at: now, next_attempt_at: null }
  if (isSuccess(outcome)) return { ...ended, status: 'succeeded' }
  const pause = outcome.kind === 'failed' && outcome.isFinal ? null : retryPause(attempts)
  return pause === null ? { ...ended, status: 'failed' } : { ...ended, next_attempt_at: later(now, pause) }
}

const isSuccess = (outcome: Outcome) => outcome.kind === 'answered' && isDelivered(outcome.status)

/** Updates the health of the webhook. */
function updateHealth(webhook: WebhookRow, outcome: Exclude<Outcome, { kind: 'unsent' }>, now: string): void {
  if (isSuccess(outcome)) {
    webhook.last_success_at = now
    webhook.failing_since = null
    if (webhook.paused_at === null) webhook.message = null
  } else {
    webhook.failing_since ??= now
    if (webhook.paused_at !== null) return
    webhook.message = outcome.kind === 'failed' ? outcome.error : `The target answered with status ${outcome.status}.`
  }
}

interface Selection {
  tasks: Task[]
  nextAt: string | null
  isFull: boolean
}

interface SelectionInput {
  input: ExchangeInput
  /** Limit of deliveries in flight for one webhook. */
  most: number
  now: string
}

/** Selects what to send to a webhook next. Updates its place and its lease in the row. */
async function selectTasks(
  ctx: Context,
  db: Queryable,
  row: WebhookRow,
  { input, most, now }: SelectionInput,
): Promise<Selection> {
  if (input.isStopping) {
    Object.assign(row, withLease(db, row, { process: input.process, now, isNeeded: false }))
    return { tasks: [], nextAt: null, isFull: false }
  }
  if (isLeasedByOthers(db, row, input.process, now)) return { tasks: [], nextAt: later(now, LEASED_LOOK_SECONDS), isFull: false }
  const inFlight = new Set(input.inFlight.flatMap(task => (task.webhook_no === row.no ? task.delivery_id : [])))
  if (inFlight.size >= most) {
    Object.assign(row, withLease(db, row, { process: input.process, now, isNeeded: true }))
    return { tasks: [], nextAt: null, isFull: true }
  }
  const waiting = await createDeliveries(ctx, db, row, await listWaiting(db, row.no), now)
  const heads = firstOfEachKey(waiting).filter(({ id }) => !inFlight.has(id))
  const due = heads.filter(delivery => isDue(delivery, now)).slice(0, most - inFlight.size)
  const isNeeded = inFlight.size + due.length > 0
  Object.assign(row, withLease(db, row, { process: input.process, now, isNeeded }))
  if (!hasLease(db, row, input.process)) return { tasks: [], nextAt: nextOf(heads, now), isFull: false }
  return {
    tasks: due.map(({ id }) => ({ delivery_id: id, webhook_no: row.no })),
    nextAt: nextOf(heads, now),
    isFull: inFlight.size + due.length >= most,
  }
}

const nextOf = (heads: readonly DeliveryRow[], now: string): string | null =>
  heads.flatMap(delivery => (isDue(delivery, now) ? [] : (delivery.next_attempt_at ?? []))).toSorted()[0] ?? null

/** Returns the first delivery of each key; the others wait until it has ended. */
function firstOfEachKey(waiting: readonly DeliveryRow[]): DeliveryRow[] {
  const keys = new Set<string>()
  return waiting.filter(({ order_key }) => {
    const isFirst = !keys.has(order_key)
    keys.add(order_key)
    return isFirst
  })
}
