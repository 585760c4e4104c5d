import { allow, invalid } from '@postil/domain/errors'
import { canManageWebhooks } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { WebhookDelivery } from '@postil/domain/webhooks'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { insertDeliveries, listWaiting, loadDelivery, toDelivery } from './delivery-store.ts'
import { hasEventRow } from './event-store.ts'
import { NEW_DELIVERY } from './fill.ts'
import { asTarget, loadWebhookToChange } from './store.ts'

/** Limit of waiting deliveries per webhook, including resent ones. */
const WAITING_MAX = 1_000

/** Delivers an event once more, after the waiting deliveries for the same record. */
export function resendWebhookDelivery(ctx: RequestContext, webhookId: Id, deliveryId: Id): Promise<WebhookDelivery> {
  return write(ctx, async tx => {
    const webhook = await loadWebhookToChange(tx, webhookId)
    const sent = await loadDelivery(tx, webhook.no, deliveryId)
    allow(canManageWebhooks(ctx.actor))
    if (!(await hasEventRow(tx, sent.event_no))) throw invalid('What this delivery had to say is not kept any more')
    if ((await listWaiting(tx, webhook.no)).length >= WAITING_MAX) {
      throw invalid(`${WAITING_MAX} deliveries wait for this webhook already: try again when they are done`)
    }
    const now = ctx.now()
    const { no: _no, ...copied } = sent
    const row = { ...copied, ...NEW_DELIVERY, id: ctx.newId(), next_attempt_at: now, inserted_at: now, updated_at: now }
    await insertDeliveries(tx, [row])
    await audit(tx, ctx, { action: 'webhook.delivery_resent', target: asTarget(webhook), details: { event: row.event } })
    return toDelivery(webhook.id, row)
  })
}
