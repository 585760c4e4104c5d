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

/** One thing that happened, about as many rows as the request touched. */
export type Event = { [N in EventName]: { name: N; payload: EventPayload<N> } }[EventName]

/** The rows that an event is about, as far as the use case has them: for subscribers that need them inside the transaction. */
export interface EventRows {
  /** In the order of the event's record ids. Without fields, the rest has to be read. */
  records?: readonly (RecordRow | { no: number; id: Id })[]
  responses?: readonly ResponseRow[]
  /** As it was read in this transaction; it was not changed since. */
  dataset?: StoredDataset
  /** Of a dataset that is gone. */
  settings?: DatasetSettings
}

const ROWS = new WeakMap<Event, EventRows>()

export const rowsOf = (event: Event): EventRows => ROWS.get(event) ?? {}

function push(tx: Tx, event: Event, rows: EventRows): void {
  tx.events.push(event)
  ROWS.set(event, rows)
}

/**
 * Says that something happened to a dataset. It is logged; nobody is told before the change is committed. Settings are given for a
 * dataset that is gone.
 */
export function emit<N extends DatasetEventName>(tx: Tx, name: N, payload: EventPayload<N>, settings?: DatasetSettings): void {
  push(tx, { name, payload } as Event, settings ? { settings } : {})
  addChange(tx, payload.dataset.id, { event: name })
}

/** The same for records; without any, nothing happened. */
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
  // Ids of records that exist are looked up by their numbers; those of deleted ones are nowhere else.
  const details = name === 'record.deleted' ? { record_ids } : undefined
  addChange(tx, dataset_id, { event: name, recordNos, ...(details && { details }) })
}

/** The same for responses, with the records and the dataset that they are about. */
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

interface Logged {
  name: LoggedName
  dataset_id: Id
  recordNos?: readonly number[]
  details?: ChangeDetails
}

/** Logs a change that is not an event: those who follow the log read it. */
export function logChange(tx: Tx, { name, dataset_id, ...change }: Logged): void {
  addChange(tx, dataset_id, { event: name, ...change })
}

/** What only people with the dataset open need to know. What the log does not say is told after commit with `notice`, and kept nowhere. */
export type Notice = {
  [N in LiveName]: {
    name: N
    dataset_id: Id
    /** For this user alone; null for all who may read the dataset. */
    user_id: Id | null
    data: LiveData[N]
  }
}[LiveName]

export function notice(tx: Tx, told: Notice): void {
  tx.notices.push(told)
}
