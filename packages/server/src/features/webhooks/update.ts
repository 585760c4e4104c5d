import { allow } from '@postil/domain/errors'
import { canManageWebhooks } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import { normalizeWebhookUrl, type Webhook, type WebhookUpdate } from '@postil/domain/webhooks'
import type { RequestContext } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit, listChangedProperties } from '../audit-log/add.ts'
import { checkUrl } from './check-url.ts'
import { newSecret } from './sign.ts'
import {
  asTarget,
  clearSubscriptionCache,
  deleteWebhook as deleteRow,
  loadWebhookToChange,
  toWebhook,
  updateWebhook as updateRow,
  type WebhookRow,
} from './store.ts'

/** Changes the given properties. Enabling a paused webhook resumes it with events from then on. */
export function updateWebhook(ctx: RequestContext, id: Id, given: WebhookUpdate): Promise<Webhook> {
  return write(ctx, async tx => {
    const before = await load(ctx, tx, id)
    const row: WebhookRow = { ...before, updated_at: ctx.now() }
    if (given.url !== undefined) row.url = normalizeWebhookUrl(given.url)
    if (given.url !== undefined) checkUrl(ctx, row.url)
    if (given.events !== undefined) row.events = JSON.stringify(given.events)
    if (given.description !== undefined) row.description = given.description
    if (given.enabled !== undefined) row.enabled = given.enabled ? 1 : 0
    if (given.enabled && before.enabled === 0) Object.assign(row, { paused_at: null, failing_since: null, message: null })
    await updateRow(tx, row)
    clearSubscriptionCache(tx)
    const changed = listChangedProperties(shownOf(before), shownOf(row))
    await audit(tx, ctx, { action: 'webhook.updated', target: asTarget(row), details: { changed } })
    return toWebhook(ctx.apiKeys, row)
  })
}

const shownOf = ({ url, events, description, enabled }: WebhookRow) => ({ url, events, description, enabled })

/** Deletes a webhook with its deliveries. */
export function deleteWebhook(ctx: RequestContext, id: Id): Promise<Webhook> {
  return write(ctx, async tx => {
    const row = await load(ctx, tx, id)
    await deleteRow(tx, row.no)
    clearSubscriptionCache(tx)
    await audit(tx, ctx, { action: 'webhook.deleted', target: asTarget(row) })
    return toWebhook(ctx.apiKeys, row)
  })
}

const PREVIOUS_SECRET_SECONDS = 24 * 3600

/** Replaces the secret of a webhook. The previous one also signs for a day, so that receivers can be updated in the meantime. */
export function rotateWebhookSecret(ctx: RequestContext, id: Id): Promise<Webhook> {
  return write(ctx, async tx => {
    const before = await load(ctx, tx, id)
    const now = ctx.now()
    const row: WebhookRow = {
      ...before,
      secret_encrypted: ctx.apiKeys.encrypt(newSecret()),
      previous_secret_encrypted: before.secret_encrypted,
      previous_secret_until: later(now, PREVIOUS_SECRET_SECONDS),
      updated_at: now,
    }
    await updateRow(tx, row)
    await audit(tx, ctx, { action: 'webhook.secret_rotated', target: asTarget(row) })
    return toWebhook(ctx.apiKeys, row)
  })
}

async function load(ctx: RequestContext, tx: Tx, id: Id): Promise<WebhookRow> {
  const row = await loadWebhookToChange(tx, id)
  allow(canManageWebhooks(ctx.actor))
  return row
}
