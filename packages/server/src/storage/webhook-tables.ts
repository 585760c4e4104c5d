/** Tables of webhooks: subscriptions, events and deliveries. */
import type { Generated } from 'kysely'

/** Position of a row in `webhook_events`, which defines the order of delivery. */
export interface EventPlace {
  /** Id of the transaction that wrote the row on PostgreSQL; 0 on SQLite. */
  xid: number
  no: number
}

export interface WebhooksTable {
  no: Generated<number>
  id: string
  url: string
  secret_encrypted: string
  /** Secret before the last rotation, and the time until which it also signs. */
  previous_secret_encrypted: string | null
  previous_secret_until: string | null
  /** JSON array. */
  events: string
  enabled: number
  description: string | null
  /** Last row of `webhook_events` whose deliveries have all been created. */
  reached_xid: number
  reached_no: number
  /** Number of processed events of the row after that one. */
  reached_position: number
  failing_since: string | null
  paused_at: string | null
  message: string | null
  last_success_at: string | null
  /** Process that delivers, if there are several. */
  leased_by: string | null
  leased_until: string | null
  inserted_at: string
  updated_at: string
}

/** Content of a dataset in events, once for each of its versions. */
export interface WebhookDatasetsTable {
  dataset_id: string
  /** Identifies the version. */
  dataset_version: string
  /**
   * Number of the first row of `webhook_events` that refers to it. All later rows of the dataset refer to this or a later
   * version.
   */
  first_event_no: number
  /** JSON. */
  content: string
}

/** Changes of one transaction to one dataset, if a webhook is subscribed to them. */
export interface WebhookEventsTable extends EventPlace {
  dataset_id: string
  /** Version of the dataset in `webhook_datasets`. */
  dataset_version: string
  occurred_at: string
  /** Subscribed webhooks with the number and names of their events: a JSON array of `[[webhook no, …], count, [event, …]]`. */
  wanted_by: string
  /**
   * JSON array of `[[event, …], [record id, …]]`: one event of each name for each record in turn. The id is null for events of
   * datasets.
   */
  events: string
  /** Content of the events (features/webhooks/payload.ts). */
  payload: string
}

/** Delivery of one event to one webhook. */
export interface WebhookDeliveriesTable {
  no: Generated<number>
  id: string
  webhook_no: number
  event_no: number
  /** Position of the event in its row. */
  position: number
  event: string
  occurred_at: string
  /** Deliveries with the same key are sent sequentially. */
  order_key: string
  record_id: string | null
  dataset_id: string
  status: string
  attempts: number
  next_attempt_at: string | null
  response_status: number | null
  response_excerpt: string | null
  error: string | null
  duration_ms: number | null
  inserted_at: string
  updated_at: string
}

export interface WebhookTables {
  webhooks: WebhooksTable
  webhook_datasets: WebhookDatasetsTable
  webhook_events: WebhookEventsTable
  webhook_deliveries: WebhookDeliveriesTable
}
