/** One attempt: reads, signs and sends a delivery. Only reads from the database; `exchange` stores the outcome. */
import type { Context } from '../../context.ts'
import type { OutgoingAnswer, OutgoingPolicy, OutgoingRequest } from '../../lib/outgoing.ts'
import { type DeliveryRow, findDelivery } from './delivery-store.ts'
import { findEventContent } from './event-store.ts'
import type { Outcome, Task } from './exchange.ts'
import { type ParsedEvents, parseEvents } from './payload.ts'
import { signedHeaders } from './sign.ts'
import { findWebhookByNo, type WebhookRow } from './store.ts'

export const TIMEOUT_MS = 20_000
export const EXCERPT_BYTES = 1024
const ERROR_LENGTH_MAX = 500
/** Number of cached event rows: deliveries to a webhook come from one or two rows at a time. */
const OPENED_MAX = 8

export type Post = (request: OutgoingRequest, policy: OutgoingPolicy) => Promise<OutgoingAnswer>

type SendContext = Pick<Context, 'db' | 'apiKeys' | 'config'>

export function createSend({ db, apiKeys, config }: SendContext, post: Post): (task: Task) => Promise<Outcome> {
  const findOpened = createRowCache(db)

  async function prepare({ delivery_id, webhook_no }: Task): Promise<{ row: WebhookRow; body: string } | null> {
    const delivery = await findDelivery(db, delivery_id)
    const row = await findWebhookByNo(db, webhook_no)
    if (delivery?.status !== 'waiting' || row === null) return null
    const opened = await findOpened(delivery)
    if (opened === null) throw new Error('The content of the event is not kept any more')
    return { row, body: opened.bodyOf(delivery.position) }
  }

  return async task => {
    let prepared: { request: OutgoingRequest } | null
    try {
      const ready = await prepare(task)
      prepared = ready && { request: toRequest(secretsOf(apiKeys, ready.row, new Date()), ready.row.url, ready.body) }
    } catch (error) {
      if (db.dialect.isUnavailable(error)) return { kind: 'unsent' }
      return { kind: 'failed', error: textOf(error), duration_ms: 0, isFinal: true }
    }
    if (prepared === null) return { kind: 'unsent' }
    const started = performance.now()
    const elapsed = () => Math.round(performance.now() - started)
    try {
      const { status, excerpt } = await post(prepared.request, { allowPrivate: config.webhooksAllowPrivateAddresses })
      return { kind: 'answered', status, excerpt, duration_ms: elapsed() }
    } catch (error) {
      return { kind: 'failed', error: textOf(error), duration_ms: elapsed() }
    }
  }
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH_MAX)

/** Returns the secrets, newest first. */
export function secretsOf(keys: Context['apiKeys'], row: WebhookRow, now: Date): string[] {
  const isBoth = row.previous_secret_until !== null && Date.parse(`${row.previous_secret_until}Z`) > now.getTime()
  const previous = isBoth && row.previous_secret_encrypted !== null ? [row.previous_secret_encrypted] : []
  return [row.secret_encrypted, ...previous].map(keys.decrypt)
}

export const toRequest = (secrets: readonly string[], url: string, body: string): OutgoingRequest => ({
  url,
  headers: signedHeaders(secrets, body, new Date()),
  body,
  timeoutMs: TIMEOUT_MS,
  excerptBytes: EXCERPT_BYTES,
})

/**
 * LRU cache of event rows. The key includes the time, because numbers restart when no events, deliveries and webhooks are left.
 */
function createRowCache(db: Context['db']) {
  const opened = new Map<string, ParsedEvents>()
  return async ({ event_no, occurred_at }: DeliveryRow): Promise<ParsedEvents | null> => {
    const key = `${event_no} ${occurred_at}`
    const known = opened.get(key)
    const content = known ? null : await findEventContent(db, event_no)
    const row = known ?? (content && parseEvents(content))
    if (!row) return null
    opened.delete(key)
    opened.set(key, row)
    for (const oldest of opened.keys()) if (opened.size > OPENED_MAX) opened.delete(oldest)
    return row
  }
}
