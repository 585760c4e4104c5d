import type { Context } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { audit } from '../audit-log/add.ts'
import { failWaiting } from './delivery-store.ts'
import { findNewestPlace } from './event-store.ts'
import { asTarget, clearSubscriptionCache, type WebhookRow } from './store.ts'

/**
 * Pauses a webhook. Changes the row, which the caller stores. Waiting deliveries fail, and the webhook does not receive later
 * events.
 */
export async function pauseWebhook(ctx: Context, db: Queryable, row: WebhookRow, message: string, now: string): Promise<void> {
  const newest = await findNewestPlace(db)
  Object.assign(row, {
    enabled: 0,
    paused_at: now,
    message,
    reached_xid: newest.xid,
    reached_no: newest.no,
    reached_position: 0,
    updated_at: now,
  } satisfies Partial<WebhookRow>)
  await failWaiting(db, row.no, { error: 'Given up: the webhook was paused.', now })
  clearSubscriptionCache(db)
  await audit(db, ctx, { action: 'webhook.paused', target: asTarget(row), details: { message } })
  ctx.log.warn({ webhook_id: row.id, reason: message }, 'webhook paused')
}
