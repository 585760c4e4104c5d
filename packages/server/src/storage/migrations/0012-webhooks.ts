/**
 * Webhooks, the events that they are subscribed to, and their deliveries.
 *
 * `webhook_events` and `webhook_datasets` have no foreign keys to datasets and records, because events outlive them. On
 * PostgreSQL, transactions may commit in a different order than they take numbers, so rows are read in the order of the
 * transactions that wrote them.
 */
import type { Queryable } from '../database.ts'

const statements = (db: Queryable['dialect']) => [
  `create table webhooks (
    no ${db.autoNumber}, id text not null unique, url text not null, secret_encrypted text not null, previous_secret_encrypted text,
    previous_secret_until text, events text not null, enabled integer not null, description text, reached_xid bigint not null,
    reached_no bigint not null, reached_position integer not null, failing_since text, paused_at text, message text,
    last_success_at text, leased_by text, leased_until text, inserted_at text not null, updated_at text not null
  )`,
  `create table webhook_datasets (
    dataset_id text not null, dataset_version text not null, first_event_no bigint not null, content text not null,
    primary key (dataset_id, dataset_version)
  )`,
  // The payload is the last column, so that SQLite reads the others without it. On SQLite the server numbers the rows, which
  // saves a page write per commit.
  `create table webhook_events (
    no ${db.name === 'postgres' ? db.autoNumber : 'integer primary key'}, xid bigint not null, dataset_id text not null, dataset_version text not null,
    occurred_at text not null, wanted_by text not null, events text not null, payload text not null${db.name === 'postgres' ? KEPT_WHILE_USED : ''}
  )`,
  `create table webhook_deliveries (
    no ${db.autoNumber}, id text not null unique, webhook_no bigint not null references webhooks (no) on delete cascade,
    event_no bigint not null, position integer not null, event text not null, occurred_at text not null, order_key text not null,
    record_id text, dataset_id text not null, status text not null, attempts integer not null, next_attempt_at text,
    response_status integer, response_excerpt text, error text, duration_ms integer, inserted_at text not null, updated_at text not null
  )`,
  'create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_no, no)',
  "create index webhook_deliveries_waiting on webhook_deliveries (webhook_no, no) where status = 'waiting'",
  'create index webhook_deliveries_by_event on webhook_deliveries (event_no)',
  ...(db.name === 'postgres' ? ['create index webhook_events_by_transaction on webhook_events (xid, no)'] : []),
]

/** With several processes, one may refer to a version while another deletes unused ones. */
const KEPT_WHILE_USED = ', foreign key (dataset_id, dataset_version) references webhook_datasets (dataset_id, dataset_version)'

const DOWN = ['webhook_deliveries', 'webhook_events', 'webhook_datasets', 'webhooks'].map(table => `drop table ${table}`)

export async function up(db: Queryable): Promise<void> {
  for (const statement of statements(db.dialect)) await db.sql.run(statement)
}

export async function down(db: Queryable): Promise<void> {
  for (const statement of DOWN) await db.sql.run(statement)
}
