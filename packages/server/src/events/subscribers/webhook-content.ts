/**
 * What events are about, as JSON text for webhooks: the dataset once, each record once, each user once. The content is what it is inside
 * the transaction, so that a later change, or a deletion, does not change what is told.
 */

import type { Id } from '@postil/domain/schema'
import { type DatasetSettings, loadDatasetSettings } from '../../features/datasets/settings.ts'
import { findDataset, type StoredDataset } from '../../features/datasets/store.ts'
import { listRecordsByNumbers, type RecordRow } from '../../features/records/store.ts'
import type { ResponseRow } from '../../features/responses/store.ts'
import { listShownUsers } from '../../features/webhooks/event-store.ts'
import { listWorkspacesByIds } from '../../features/workspaces/store.ts'
import type { Tx } from '../../storage/write.ts'
import type { Event, EventRows } from '../emit.ts'

const quote = JSON.stringify

/** Numbered things without the columns that only the database knows, and without `dataset_id`. */
const toShown = (items: readonly object[]) => items.map(item => ({ ...item, no: undefined, dataset_id: undefined }))

/** By the settings object, which is kept as long as the settings do not change. */
const settingsTexts = new WeakMap<DatasetSettings, string>()

function settingsText(settings: DatasetSettings): string {
  const known = settingsTexts.get(settings)
  if (known !== undefined) return known
  const { questions, fields, metadataProperties, vectorsSettings } = settings
  const text =
    `"questions":${quote(toShown(questions))},"fields":${quote(toShown(fields))},` +
    `"metadata_properties":${quote(toShown(metadataProperties))},"vectors_settings":${quote(toShown(vectorsSettings))}`
  settingsTexts.set(settings, text)
  return text
}

type ShownDataset = Omit<StoredDataset, 'settings_version' | 'change_no' | 'records_count' | 'completed_count'>

/** The dataset as webhooks see it; null if it is gone and nobody kept it. */
export async function datasetText(tx: Tx, datasetId: Id, kept: { dataset?: ShownDataset; settings?: DatasetSettings }) {
  const stored = kept.settings ? null : await findDataset(tx, datasetId)
  const dataset = stored ?? kept.dataset
  const settings = kept.settings ?? (stored && (await loadDatasetSettings(tx, stored)))
  if (!dataset || !settings) return null
  const [workspace] = await listWorkspacesByIds(tx, [dataset.workspace_id])
  const { id, name, guidelines, allow_extra_metadata, status, distribution, inserted_at, updated_at } = dataset
  // Written to the head at the end of the transaction.
  const last_activity_at = tx.heads.get(datasetId)?.activityAt ?? dataset.last_activity_at
  const head = quote({ id, name, guidelines, allow_extra_metadata, status, distribution, workspace: workspace ?? null })
  const tail = quote({ last_activity_at, inserted_at, updated_at })
  return `${head.slice(0, -1)},${settingsText(settings)},${tail.slice(1)}`
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
export async function wholeRecords(tx: Tx, rows: NonNullable<EventRows['records']>): Promise<RecordRow[]> {
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
