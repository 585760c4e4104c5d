/** Looks for the states of webhooks and deliveries. */
import type { WebhookDelivery, WebhookState } from '@postil/domain/webhooks'
import type { Look } from '../state-tag.vue'

export const WEBHOOK_LOOKS: Record<WebhookState['status'], Look> = {
  working: 'good',
  failing: 'bad',
  paused: 'paused',
  disabled: 'off',
}

export const DELIVERY_LOOKS: Record<WebhookDelivery['status'], Look> = { waiting: 'waiting', succeeded: 'good', failed: 'bad' }
