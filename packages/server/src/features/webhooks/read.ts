import { allow } from '@postil/domain/errors'
import { canManageWebhooks } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import {
  type Webhook,
  type WebhookDeliveries,
  type WebhookDeliveriesQuery,
  type WebhookState,
  webhookStatus,
} from '@postil/domain/webhooks'
import type { RequestContext } from '../../context.ts'
import { countBacklog } from './backlog.ts'
import { listDeliveriesPage, toDelivery } from './delivery-store.ts'
import { listWebhooks as listRows, loadWebhook, toWebhook, type WebhookRow } from './store.ts'

export async function listWebhooks(ctx: RequestContext): Promise<{ items: Webhook[] }> {
  allow(canManageWebhooks(ctx.actor))
  return { items: (await listRows(ctx.db)).map(row => toWebhook(ctx.apiKeys, row)) }
}

export async function listWebhookStates(ctx: RequestContext): Promise<{ items: WebhookState[] }> {
  allow(canManageWebhooks(ctx.actor))
  return ctx.db.snapshot(async db => {
    const backlog = await countBacklog(db)
    const now = ctx.now()
    return { items: (await listRows(db)).map(row => toState(row, backlog.get(row.no) ?? 0, now)) }
  })
}

function toState(row: WebhookRow, waiting: number, now: string): WebhookState {
  const { id, paused_at, failing_since, message, last_success_at, previous_secret_until } = row
  return {
    webhook_id: id,
    status: webhookStatus({ enabled: row.enabled === 1, paused_at, failing_since }),
    message,
    failing_since,
    paused_at,
    last_success_at,
    waiting,
    previous_secret_until: previous_secret_until !== null && previous_secret_until > now ? previous_secret_until : null,
  }
}

export async function listWebhookDeliveries(
  ctx: RequestContext,
  id: Id,
  { status, event, limit = 50, before }: WebhookDeliveriesQuery,
): Promise<WebhookDeliveries> {
  const webhook = await loadWebhook(ctx.db, id)
  allow(canManageWebhooks(ctx.actor))
  const page = { webhookNo: webhook.no, status, event, before: before === undefined ? null : Number(before) }
  // Reads one row more than the limit to find out whether there is a next page.
  const rows = await listDeliveriesPage(ctx.db, { ...page, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    items: shown.map(row => toDelivery(webhook.id, row)),
    next: rows.length > limit ? String(shown.at(-1)?.no) : null,
  }
}
