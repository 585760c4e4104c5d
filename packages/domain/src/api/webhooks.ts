import { Items } from '../schema.ts'
import {
  Webhook,
  WebhookCreate,
  WebhookDeliveries,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookState,
  WebhookUpdate,
} from '../webhooks.ts'
import { WebhookDeliveryParams, WebhookParams } from './params.ts'
import { route } from './route.ts'

const tag = 'webhooks'

export const listWebhooks = route({
  id: 'listWebhooks',
  method: 'GET',
  path: '/api/v1/webhooks',
  tag,
  status: 200,
  runs: 'here',
  summary: 'All webhooks, oldest first, with their secrets',
  response: Items(Webhook),
})

export const createWebhook = route({
  id: 'createWebhook',
  method: 'POST',
  path: '/api/v1/webhooks',
  tag,
  status: 201,
  runs: 'writer',
  summary: 'Send the given events to a URL from now on; there can be 10 webhooks',
  body: WebhookCreate,
  response: Webhook,
})

export const updateWebhook = route({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/api/v1/webhooks/:webhook_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Change a webhook. While it is disabled, it gets no new events; what happened before is still delivered',
  params: WebhookParams,
  body: WebhookUpdate,
  response: Webhook,
})

export const deleteWebhook = route({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/api/v1/webhooks/:webhook_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Delete a webhook with its deliveries; what waits is not sent any more',
  params: WebhookParams,
  response: Webhook,
})

export const pingWebhook = route({
  id: 'pingWebhook',
  method: 'POST',
  path: '/api/v1/webhooks/:webhook_id/ping',
  tag,
  status: 204,
  runs: 'here',
  summary: 'Send a `ping` to a webhook now, once. Succeeds whatever status the target answers with',
  params: WebhookParams,
})

export const rotateWebhookSecret = route({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/api/v1/webhooks/:webhook_id/secret',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Give a webhook a new secret; for 24 hours, the old one signs too',
  params: WebhookParams,
  response: Webhook,
})

export const listWebhookStates = route({
  id: 'listWebhookStates',
  method: 'GET',
  path: '/api/v1/webhooks/states',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'How deliveries go, for each webhook',
  response: Items(WebhookState),
})

export const listWebhookDeliveries = route({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/api/v1/webhooks/:webhook_id/deliveries',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Deliveries to a webhook, newest first. Ended ones are kept for 7 days, and the last 1,000 of a webhook',
  params: WebhookParams,
  query: WebhookDeliveriesQuery,
  response: WebhookDeliveries,
})

export const resendWebhookDelivery = route({
  id: 'resendWebhookDelivery',
  method: 'POST',
  path: '/api/v1/webhooks/:webhook_id/deliveries/:delivery_id/resend',
  tag,
  status: 202,
  runs: 'writer',
  summary: 'Deliver an event again, with the same content; answers the new delivery',
  params: WebhookDeliveryParams,
  response: WebhookDelivery,
})

export const webhookRoutes = [
  listWebhooks,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  pingWebhook,
  rotateWebhookSecret,
  listWebhookStates,
  listWebhookDeliveries,
  resendWebhookDelivery,
]
