/**
 * Content of events as JSON text for webhooks: the dataset once for each version, each record once, each user once. It is read
 * inside the transaction, so that a later change or deletion does not affect it.
 */

import type { Dataset } from '@postil/domain/datasets'
import type { Id } from '@postil/domain/schema'
import { type DatasetSettings, loadDatasetSettings } from '../../features/datasets/settings.ts'
import { findDataset, type StoredDataset } from '../../features/datasets/store.ts'
import { listRecordsByNumbers, type RecordRow } from '../../features/records/store.ts'
import type { ResponseRow } from '../../features/responses/store.ts'
import { listShownUsers } from '../../features/webhooks/event-store.ts'
import { listWorkspacesByIds } from '../../features/workspaces/store.ts'
import { cacheUser, findCachedUser } from '../../storage/cached-users.ts'
import type { Tx } from '../../storage/write.ts'
import type { Event, EventRows } from '../emit.ts'

const quote = JSON.stringify

/** Removes the columns that are internal to the database, and `dataset_id`. */
const omitInternals = (items: readonly object[]) => items.map(item => ({ ...item, no: undefined, dataset_id: undefined }))

/** The parts of the dataset that the use case has already read. */
export type LoadedDataset = Pick<EventRows, 'dataset' | 'settings'> & { deleted?: Dataset }

/** A dataset in the form that webhooks receive. */
export interface WebhookDataset {
  version: string
  /** JSON without the timestamps, which change more often. */
  toContent(): Promise<string>
  /** Timestamps as JSON. */
  times: string
}

/** Returns null if the dataset was deleted and the event does not contain it. */
export async function findWebhookDataset(tx: Tx, datasetId: Id, known: LoadedDataset): Promise<WebhookDataset | null> {
  const { deleted, settings } = known
  if (deleted && settings) {
    const version = `${deleted.updated_at} deleted`
    return { version, toContent: () => contentOf(tx, deleted, settings), times: timesOf(tx, deleted) }
  }
  const dataset = known.dataset ?? (await findDataset(tx, datasetId))
  if (!dataset) return null
  return {
    ...toWebhookDataset(tx, dataset),
    toContent: async () => contentOf(tx, dataset, await loadDatasetSettings(tx, dataset)),
  }
}

export function toWebhookDataset(tx: Tx, dataset: StoredDataset): Pick<WebhookDataset, 'version' | 'times'> {
  // All content except the last activity changes together with one of these values.
  const version = `${dataset.updated_at} ${dataset.settings_version} ${dataset.status}`
  return { version, times: timesOf(tx, dataset) }
}

async function contentOf(tx: Tx, dataset: Dataset, settings: DatasetSettings): Promise<string> {
  const [workspace = null] = await listWorkspacesByIds(tx, [dataset.workspace_id])
  const { id, name, guidelines, allow_extra_metadata, status, distribution } = dataset
  const { questions, fields, metadataProperties, vectorsSettings } = settings
  return quote({
    ...{ id, name, guidelines, allow_extra_metadata, status, distribution, workspace },
    questions: omitInternals(questions),
    fields: omitInternals(fields),
    metadata_properties: omitInternals(metadataProperties),
    vectors_settings: omitInternals(vectorsSettings),
  })
}

function timesOf(tx: Tx, { id, last_activity_at, inserted_at, updated_at }: Dataset): string {
  // The pending activity is written to the head only at the end of the transaction.
  const activity = tx.heads.get(id)?.activityAt ?? last_activity_at
  return `{"last_activity_at":"${activity}","inserted_at":"${inserted_at}","updated_at":"${updated_at}"}`
}

export const isFullRecord = (row: object): row is RecordRow => 'fields' in row

/** Reads the records of which the use case has only the number and id; most are complete already. */
export async function loadFullRecords(tx: Tx, rows: NonNullable<EventRows['records']>): Promise<readonly RecordRow[]> {
  if (rows.every(isFullRecord)) return rows
  const missing = rows.filter(row => !isFullRecord(row)).map(({ no }) => no)
  const read = new Map((await listRecordsByNumbers(tx, missing)).map(row => [row.no, row]))
  return rows.flatMap(row => (isFullRecord(row) ? row : (read.get(row.no) ?? [])))
}

/** Returns the authors of the responses as JSON text by user id. */
export async function loadUserTexts(tx: Tx, responses: readonly ResponseRow[]): Promise<ReadonlyMap<Id, string>> {
  const ids = new Set(responses.map(({ user_id }) => user_id))
  const texts = new Map<Id, string>()
  const missing: Id[] = []
  for (const id of ids) {
    const text = findCachedUser(tx, id)
    if (text === undefined) missing.push(id)
    else texts.set(id, text)
  }
  if (missing.length === 0) return texts
  for (const row of await listShownUsers(tx, missing)) {
    texts.set(row.id, quote(row))
    cacheUser(tx, row.id, quote(row))
  }
  return texts
}

export const datasetIdOfEvent = ({ payload }: Event): Id => ('dataset' in payload ? payload.dataset.id : payload.dataset_id)
