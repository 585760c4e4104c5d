import { Id, Int, Items, List, Nullable, OneOf, Optional, Shape, Text } from '../schema.ts'
import { DELIVERY_STATUSES, Webhook, WebhookCreate, WebhookDelivery, WebhookState, WebhookUpdate } from '../webhooks.ts'
import { route } from './route.ts'

const tag = 'webhooks'
const WebhookParams = Shape({ webhook_id: Id })
const DeliveryParams = Shape({ webhook_id: Id, delivery_id: Id })

export const listWebhooks = route({
  id: 'listWebhooks',
  method: 'GET',
  path: '/api/v1/webhooks',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'All webhooks, oldest first',
  response: Items(Webhook),
})
export const listWebhookStates = route({
  id: 'listWebhookStates',
  method: 'GET',
  path: '/api/v1/webhooks/states',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'How the deliveries of each webhook go',
  response: Items(WebhookState),
})
export const createWebhook = route({
  id: 'createWebhook',
  method: 'POST',
  path: '/api/v1/webhooks',
  tag,
  status: 201,
  runs: 'writer',
  summary: 'Create a webhook',
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
  summary: 'Change a webhook',
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
  summary: 'Delete a webhook',
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
  summary: 'Send a ping',
  params: WebhookParams,
})
export const rotateWebhookSecret = route({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/api/v1/webhooks/:webhook_id/secret',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Replace the secret',
  params: WebhookParams,
  response: Webhook,
})
export const listWebhookDeliveries = route({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/api/v1/webhooks/:webhook_id/deliveries',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Deliveries, newest first',
  params: WebhookParams,
  query: Shape({
    status: Optional(OneOf(DELIVERY_STATUSES)),
    event: Optional(Text()),
    limit: Optional(Int()),
    before: Optional(Text()),
  }),
  response: Shape({ items: List(WebhookDelivery), next: Nullable(Text()) }),
})
export const resendWebhookDelivery = route({
  id: 'resendWebhookDelivery',
  method: 'POST',
  path: '/api/v1/webhooks/:webhook_id/deliveries/:delivery_id/resend',
  tag,
  status: 202,
  runs: 'writer',
  summary: 'Deliver again',
  params: DeliveryParams,
  response: WebhookDelivery,
})

export const webhookRoutes = [
  listWebhooks,
  listWebhookStates,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  pingWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
  resendWebhookDelivery,
]
