import { EVENTS, type EventName } from './events.ts'
import {
  Bool,
  Id,
  Int,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
  Timestamps,
  Type,
} from './schema.ts'

/** Maximum number of webhooks on the server. */
export const WEBHOOKS_MAX = 10

const URL_LENGTH_MAX = 2083

/** Events that a webhook can subscribe to. */
export const WEBHOOK_EVENTS = Object.keys(EVENTS) as EventName[]

/** Returns the problem with the form of a webhook URL, or null. */
export function webhookUrlProblem(url: string): string | null {
  const isHttp = /^https?:\/\//i.test(url) && URL.canParse(url) && new URL(url).hostname !== ''
  return isHttp ? null : 'must be an absolute URL that begins with http:// or https:// and names a host'
}

/** Returns the stored spelling: host in lower case, and at least `/` as the path. */
export const normalizeWebhookUrl = (url: string): string => new URL(url).href

const twiceProblem = (events: readonly string[]): string | null => {
  const twice = events.find((event, index) => events.indexOf(event) !== index)
  return twice === undefined ? null : `\`${twice}\` is given more than once`
}

const Url = Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength: URL_LENGTH_MAX, 'x-check': webhookUrlProblem })
const Events = List(OneOf(WEBHOOK_EVENTS), { minItems: 1, 'x-check': twiceProblem })
const Description = Text(1, 1000)

export const Webhook = Shape({
  id: Id,
  url: Text(),
  /** 64 random bytes in base64, used to sign requests. */
  secret: Text(),
  /** In the order the client sent them. */
  events: List(OneOf(WEBHOOK_EVENTS)),
  enabled: Bool(),
  description: Nullable(Text()),
  ...Timestamps,
})
export type Webhook = Static<typeof Webhook>

export const WebhookCreate = Shape({ url: Url, events: Events, description: Optional(Nullable(Description)) })
export type WebhookCreate = Static<typeof WebhookCreate>

export const WebhookUpdate = Shape(
  {
    url: Optional(Url),
    events: Optional(Events),
    enabled: Optional(Bool()),
    description: Optional(Nullable(Description)),
  },
  { 'x-not-null': ['url', 'events', 'enabled'] },
)
export type WebhookUpdate = Static<typeof WebhookUpdate>

export const WEBHOOK_STATUSES = ['working', 'failing', 'paused', 'disabled'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

/** Delivery state of a webhook. */
export const WebhookState = Shape({
  webhook_id: Id,
  status: OneOf(WEBHOOK_STATUSES),
  /** Reason for the pause or failure, for people. */
  message: Nullable(Text()),
  /** Time of the first failed delivery after the last successful one. */
  failing_since: Nullable(Timestamp),
  paused_at: Nullable(Timestamp),
  last_success_at: Nullable(Timestamp),
  /** Number of undelivered events. */
  waiting: Int(),
  /** Until this time, requests are also signed with the secret from before the last rotation. */
  previous_secret_until: Nullable(Timestamp),
})
export type WebhookState = Static<typeof WebhookState>

export const DELIVERY_STATUSES = ['waiting', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Delivery of one event to one webhook. */
export const WebhookDelivery = Shape({
  id: Id,
  webhook_id: Id,
  event: OneOf(WEBHOOK_EVENTS),
  event_time: Timestamp,
  status: OneOf(DELIVERY_STATUSES),
  /** Number of attempts so far. */
  attempts: Int(),
  next_attempt_at: Nullable(Timestamp),
  /** HTTP status of the last attempt. The excerpt, error and duration below also refer to it. */
  response_status: Nullable(Int()),
  response_excerpt: Nullable(Text()),
  /** Reason why there was no response, or why the delivery was abandoned. */
  error: Nullable(Text()),
  duration_ms: Nullable(Int()),
  record_id: Nullable(Id),
  dataset_id: Nullable(Id),
  ...Timestamps,
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const DELIVERIES_PAGE_MAX = 200

export const WebhookDeliveries = Shape({
  items: List(WebhookDelivery),
  /** Value of `before` for the next page; null after the last one. */
  next: Nullable(Text()),
})
export type WebhookDeliveries = Static<typeof WebhookDeliveries>

const cursorProblem = (cursor: string) => (/^[1-9]\d{0,14}$/.test(cursor) ? null : 'must be the `next` of an earlier page')
const Cursor = Type.Unsafe<string>({ type: 'string', 'x-check': cursorProblem })

export const WebhookDeliveriesQuery = Shape({
  status: Optional(OneOf(DELIVERY_STATUSES)),
  event: Optional(OneOf(WEBHOOK_EVENTS)),
  limit: Optional(Int({ minimum: 1, maximum: DELIVERIES_PAGE_MAX, default: 50 })),
  /** `next` of the previous page. */
  before: Optional(Cursor),
})
export type WebhookDeliveriesQuery = Static<typeof WebhookDeliveriesQuery>

/** Seconds before each retry. After the last retry, the delivery has failed. */
const RETRY_PAUSES = [10, 60, 180]

/** Returns the pause in seconds after this number of failed attempts; null if there is no further retry. */
export const retryPause = (attempts: number): number | null => RETRY_PAUSES[attempts - 1] ?? null

/** Redirects are not followed and count as failures. */
export const isDelivered = (responseStatus: number): boolean => responseStatus >= 200 && responseStatus < 300

interface StateParts {
  enabled: boolean
  paused_at: string | null
  failing_since: string | null
}

export function webhookStatus({ enabled, paused_at, failing_since }: StateParts): WebhookStatus {
  if (paused_at !== null) return 'paused'
  if (!enabled) return 'disabled'
  return failing_since === null ? 'working' : 'failing'
}
