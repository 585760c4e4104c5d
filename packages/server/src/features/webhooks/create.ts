import { allow, invalid } from '@postil/domain/errors'
import { canManageWebhooks } from '@postil/domain/permissions'
import { normalizeWebhookUrl, WEBHOOKS_MAX, type Webhook, type WebhookCreate } from '@postil/domain/webhooks'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { checkUrl } from './check-url.ts'
import { findNewestPlace } from './event-store.ts'
import { newSecret } from './sign.ts'
import { asTarget, clearSubscriptionCache, INITIAL_STATE, insertWebhook, listWebhooks, lockWebhooks, toWebhook } from './store.ts'

/** Adds a webhook, which receives events from now on. */
export function createWebhook(ctx: RequestContext, given: WebhookCreate): Promise<Webhook> {
  return write(ctx, async tx => {
    allow(canManageWebhooks(ctx.actor))
    const url = normalizeWebhookUrl(given.url)
    checkUrl(ctx, url)
    await lockWebhooks(tx)
    if ((await listWebhooks(tx)).length >= WEBHOOKS_MAX) {
      throw invalid(`There can be ${WEBHOOKS_MAX} webhooks: delete one that is not needed any more`)
    }
    const now = ctx.now()
    const reached = await findNewestPlace(tx)
    const row = {
      id: ctx.newId(),
      url,
      secret_encrypted: ctx.apiKeys.encrypt(newSecret()),
      events: JSON.stringify(given.events),
      enabled: 1,
      description: given.description ?? null,
      reached_xid: reached.xid,
      reached_no: reached.no,
      ...INITIAL_STATE,
      inserted_at: now,
      updated_at: now,
    }
    await insertWebhook(tx, row)
    clearSubscriptionCache(tx)
    await audit(tx, ctx, { action: 'webhook.created', target: asTarget(row), details: { events: given.events } })
    return toWebhook(ctx.apiKeys, row)
  })
}
