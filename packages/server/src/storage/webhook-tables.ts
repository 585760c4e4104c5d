/** The tables of webhooks: who is told, what happened, and how it was delivered. */
import type { Generated } from 'kysely'

/** A row of `webhook_events` as webhooks know it: in this order rows are delivered. */
export interface EventPlace {
  /** PostgreSQL: the transaction that wrote the row. SQLite: 0. */
  xid: number
  no: number
}

export interface WebhooksTable {
  no: Generated<number>
  id: string
  url: string
  secret_encrypted: string
  /** The secret before the last rotation, and until when it signs too. */
  previous_secret_encrypted: string | null
  previous_secret_until: string | null
  /** A JSON list. */
  events: string
  enabled: number
  description: string | null
  /** The last row of `webhook_events` of which all deliveries were made. */
  reached_xid: number
  reached_no: number
  /** How many events of the row after that one were looked at. */
  reached_position: number
  failing_since: string | null
  paused_at: string | null
  message: string | null
  last_success_at: string | null
  /** With several processes: which one delivers. */
  leased_by: string | null
  leased_until: string | null
  inserted_at: string
  updated_at: string
}

/** A dataset as events tell it, once for each of its versions. */
export interface WebhookDatasetsTable {
  dataset_id: string
  /** What the version is known by. */
  dataset_version: string
  /** The number of the first row of `webhook_events` that refers to it: the rows from there on refer to it or to a later version. */
  first_event_no: number
  /** JSON. */
  content: string
}

/** What one transaction did to one dataset, if a webhook wants to know. */
export interface WebhookEventsTable extends EventPlace {
  dataset_id: string
  /** Of the dataset, in `webhook_datasets`. */
  dataset_version: string
  occurred_at: string
  /** Which webhooks, how many events, which groups of `events`: a JSON list of `[webhook no, count, [group, …]]`. */
  wanted_by: string
  /** A JSON list of `[event, [record id, …]]`: one entry for each event, null for events of datasets. */
  events: string
  /** What the events are about (features/webhooks/payload.ts). */
  payload: string
}

/** One event on its way to one webhook. */
export interface WebhookDeliveriesTable {
  no: Generated<number>
  id: string
  webhook_no: number
  event_no: number
  /** Of the event in its row. */
  position: number
  event: string
  occurred_at: string
  /** Deliveries with the same key are sent one after the other. */
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
