/**
 * What events are about, as JSON text for webhooks: the dataset once for each version, each record once, each user once. The content is what it is inside
 * the transaction, so that a later change, or a deletion, does not change what is told.
 */

import type { Dataset } from '@postil/domain/datasets'
import type { Id } from '@postil/domain/schema'
import { type DatasetSettings, loadDatasetSettings } from '../../features/datasets/settings.ts'
import { findDataset } from '../../features/datasets/store.ts'
import { listRecordsByNumbers, type RecordRow } from '../../features/records/store.ts'
import type { ResponseRow } from '../../features/responses/store.ts'
import { listShownUsers } from '../../features/webhooks/event-store.ts'
import { listWorkspacesByIds } from '../../features/workspaces/store.ts'
import type { Tx } from '../../storage/write.ts'
import type { Event, EventRows } from '../emit.ts'

const quote = JSON.stringify

/** Numbered things without the columns that only the database knows, and without `dataset_id`. */
const toShown = (items: readonly object[]) => items.map(item => ({ ...item, no: undefined, dataset_id: undefined }))

/** What a use case has of the dataset already. */
export type KnownDataset = Pick<EventRows, 'dataset' | 'settings'> & { deleted?: Dataset }

/** A dataset as webhooks see it. */
export interface ShownDataset {
  version: string
  /** As JSON, without the times, which change more often. */
  toContent(): Promise<string>
  /** As JSON. */
  times: string
}

/** Null if it is gone and nobody kept it. */
export async function findShownDataset(tx: Tx, datasetId: Id, known: KnownDataset): Promise<ShownDataset | null> {
  const { deleted, settings } = known
  if (deleted && settings) {
    const version = `${deleted.updated_at} deleted`
    return { version, toContent: () => contentOf(tx, deleted, settings), times: timesOf(tx, deleted) }
  }
  const dataset = known.dataset ?? (await findDataset(tx, datasetId))
  if (!dataset) return null
  // Everything in it but the last activity changes together with one of these.
  const version = `${dataset.updated_at} ${dataset.settings_version} ${dataset.status}`
  const toContent = async () => contentOf(tx, dataset, await loadDatasetSettings(tx, dataset))
  return { version, toContent, times: timesOf(tx, dataset) }
}

async function contentOf(tx: Tx, dataset: Dataset, settings: DatasetSettings): Promise<string> {
  const [workspace = null] = await listWorkspacesByIds(tx, [dataset.workspace_id])
  const { id, name, guidelines, allow_extra_metadata, status, distribution } = dataset
  const { questions, fields, metadataProperties, vectorsSettings } = settings
  return quote({
    ...{ id, name, guidelines, allow_extra_metadata, status, distribution, workspace },
    questions: toShown(questions),
    fields: toShown(fields),
    metadata_properties: toShown(metadataProperties),
    vectors_settings: toShown(vectorsSettings),
  })
}

function timesOf(tx: Tx, { id, last_activity_at, inserted_at, updated_at }: Dataset): string {
  // Written to the head at the end of the transaction.
  const activity = tx.heads.get(id)?.activityAt ?? last_activity_at
  return `{"last_activity_at":"${activity}","inserted_at":"${inserted_at}","updated_at":"${updated_at}"}`
}

export const recordText = (row: RecordRow): string =>
  `{"id":"${row.id}","status":"${row.status}","fields":${row.fields},"metadata":${row.metadata ?? 'null'},` +
  `"external_id":${quote(row.external_id)},"inserted_at":"${row.inserted_at}","updated_at":"${row.updated_at}"}`

/** `record` and `user` are the places of these in their lists. */
export const responseText = (row: ResponseRow, record: number, user: number): string =>
  `{"id":"${row.id}","values":${row.values},"status":"${row.status}","record":${record},"user":${user},` +
  `"inserted_at":"${row.inserted_at}","updated_at":"${row.updated_at}"}`

const isWhole = (row: object): row is RecordRow => 'fields' in row

/** The records that a use case has, whole; those of which it knows only the numbers are read. */
export async function wholeRecords(tx: Tx, rows: NonNullable<EventRows['records']>): Promise<readonly RecordRow[]> {
  if (rows.every(isWhole)) return rows
  const missing = rows.filter(row => !isWhole(row)).map(({ no }) => no)
  const read = new Map((await listRecordsByNumbers(tx, missing)).map(row => [row.no, row]))
  return rows.flatMap(row => (isWhole(row) ? row : (read.get(row.no) ?? [])))
}

/** The users who gave these responses, as JSON text by id. */
export async function userTexts(tx: Tx, responses: readonly ResponseRow[]): Promise<ReadonlyMap<Id, string>> {
  const rows = await listShownUsers(tx, [...new Set(responses.map(({ user_id }) => user_id))])
  return new Map(rows.map(row => [row.id, quote(row)]))
}

export const datasetIdOf = ({ payload }: Event): Id => ('dataset' in payload ? payload.dataset.id : payload.dataset_id)
