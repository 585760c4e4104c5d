import type {
  ChangeDetails,
  DatasetEventName,
  EventName,
  EventPayload,
  LoggedName,
  RecordEventName,
  ResponseEventName,
} from '@postil/domain/events'
import type { LiveData, LiveName } from '@postil/domain/live'
import type { Id } from '@postil/domain/schema'
import type { DatasetSettings } from '../features/datasets/settings.ts'
import type { StoredDataset } from '../features/datasets/store.ts'
import type { RecordRow } from '../features/records/store.ts'
import type { ResponseRow } from '../features/responses/store.ts'
import { addChange } from '../storage/heads.ts'
import type { Tx } from '../storage/write.ts'

/** One event for all rows that a request has changed in the same way. */
export type Event = { [N in EventName]: { name: N; payload: EventPayload<N> } }[EventName]

/** Rows that an event is about, if the use case has already read them; for subscribers that need them inside the transaction. */
export interface EventRows {
  /** In the order of the event's record ids. Rows without fields must be read by the subscriber. */
  records?: readonly (RecordRow | { no: number; id: Id })[]
  responses?: readonly ResponseRow[]
  /** As read in this transaction, and unchanged since. */
  dataset?: StoredDataset
  /** Settings of a deleted dataset. */
  settings?: DatasetSettings
}

const ROWS = new WeakMap<Event, EventRows>()

export const rowsOf = (event: Event): EventRows => ROWS.get(event) ?? {}

function push(tx: Tx, event: Event, rows: EventRows): void {
  tx.events.push(event)
  ROWS.set(event, rows)
}

/**
 * Emits an event of a dataset and adds it to the change log. Subscribers are notified after the commit. `settings` is required
 * for a deleted dataset, whose settings can no longer be read.
 */
export function emit<N extends DatasetEventName>(tx: Tx, name: N, payload: EventPayload<N>, settings?: DatasetSettings): void {
  push(tx, { name, payload } as Event, settings ? { settings } : {})
  addChange(tx, payload.dataset.id, { event: name })
}

/** Emits an event of records. No-op without rows. */
export function emitRecords(
  tx: Tx,
  name: RecordEventName,
  dataset_id: Id,
  rows: readonly (RecordRow | { no: number; id: Id })[],
): void {
  if (rows.length === 0) return
  const record_ids = rows.map(({ id }) => id)
  push(tx, { name, payload: { dataset_id, record_ids } }, { records: rows })
  const recordNos = rows.map(({ no }) => no)
  // Ids of existing records are looked up by number; the ids of deleted records must be stored here.
  const details = name === 'record.deleted' ? { record_ids } : undefined
  addChange(tx, dataset_id, { event: name, recordNos, ...(details && { details }) })
}

/** Emits an event of responses, with their records and dataset. No-op without rows. */
export function emitResponses(
  tx: Tx,
  name: ResponseEventName,
  dataset: StoredDataset,
  rows: readonly ResponseRow[],
  records: readonly RecordRow[],
): void {
  if (rows.length === 0) return
  const dataset_id = dataset.id
  const response_ids = rows.map(({ id }) => id)
  push(tx, { name, payload: { dataset_id, response_ids } }, { responses: rows, records, dataset })
  addChange(tx, dataset_id, { event: name, recordNos: rows.map(row => row.record_no), details: { response_ids } })
}

interface LoggedChange {
  name: LoggedName
  dataset_id: Id
  recordNos?: readonly number[]
  details?: ChangeDetails
}

/** Adds a change to the log that is not an event and that only readers of the log see. */
export function logChange(tx: Tx, { name, dataset_id, ...change }: LoggedChange): void {
  addChange(tx, dataset_id, { event: name, ...change })
}

/**
 * Live message for users who have the dataset open. Information that is not in the change log is sent with `notice` after the
 * commit, and is not stored.
 */
export type Notice = {
  [N in LiveName]: {
    name: N
    dataset_id: Id
    /** Recipient; null for all users who may read the dataset. */
    user_id: Id | null
    data: LiveData[N]
  }
}[LiveName]

export function notice(tx: Tx, told: Notice): void {
  tx.notices.push(told)
}
