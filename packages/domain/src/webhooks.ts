import {
  Bool,
  Id,
  Int,
  List,
  Nullable,
  NullByDefault,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
  Timestamps,
} from './schema.ts'

export const WEBHOOK_EVENTS = [
  'dataset.created',
  'dataset.updated',
  'dataset.deleted',
  'dataset.published',
  'record.created',
  'record.updated',
  'record.deleted',
  'record.completed',
  'response.created',
  'response.updated',
  'response.deleted',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const WEBHOOK_URL_LENGTH_MAX = 2083

const Events = List(OneOf(WEBHOOK_EVENTS), { minItems: 1, maxItems: 11 })

export const Webhook = Shape({
  id: Id,
  url: Text(),
  secret: Text(),
  events: List(OneOf(WEBHOOK_EVENTS)),
  enabled: Bool(),
  description: Nullable(Text()),
  ...Timestamps,
})
export type Webhook = Static<typeof Webhook>

export const WebhookCreate = Shape({
  url: Text(1, WEBHOOK_URL_LENGTH_MAX),
  events: Events,
  description: NullByDefault(Text(1, 1000)),
})
export type WebhookCreate = Static<typeof WebhookCreate>

export const WebhookUpdate = Shape({
  url: Optional(Text(1, WEBHOOK_URL_LENGTH_MAX)),
  events: Optional(Events),
  description: Optional(Nullable(Text(1, 1000))),
  enabled: Optional(Bool()),
})
export type WebhookUpdate = Static<typeof WebhookUpdate>

export const WEBHOOK_STATUSES = ['working', 'failing', 'paused', 'disabled'] as const

export const WebhookState = Shape({
  webhook_id: Id,
  status: OneOf(WEBHOOK_STATUSES),
  message: Nullable(Text()),
  failing_since: Nullable(Timestamp),
  paused_at: Nullable(Timestamp),
  last_success_at: Nullable(Timestamp),
  waiting: Int(),
  previous_secret_until: Nullable(Timestamp),
})
export type WebhookState = Static<typeof WebhookState>

export const DELIVERY_STATUSES = ['waiting', 'succeeded', 'failed'] as const

export const WebhookDelivery = Shape({
  id: Id,
  webhook_id: Id,
  event: Text(),
  event_time: Timestamp,
  status: OneOf(DELIVERY_STATUSES),
  attempts: Int(),
  next_attempt_at: Nullable(Timestamp),
  response_status: Nullable(Int()),
  response_excerpt: Nullable(Text()),
  error: Nullable(Text()),
  duration_ms: Nullable(Int()),
  record_id: Nullable(Id),
  dataset_id: Nullable(Id),
  ...Timestamps,
})
export type WebhookDelivery = Static<typeof WebhookDelivery>
