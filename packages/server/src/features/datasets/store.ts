/** All SQL of datasets. */

import type { Dataset } from '@postil/domain/datasets'
import { DomainError, notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import { marks, type Queryable } from '../../storage/database.ts'
import type { DatasetsTable } from '../../storage/tables.ts'

export type DatasetRow = Selectable<DatasetsTable>

/** A dataset with what the server keeps about it; `toDataset` leaves that out of answers. */
export interface StoredDataset extends Dataset {
  settings_version: number
  records_count: number
  completed_count: number
}

const SELECT = `select id, workspace_id, name, guidelines, allow_extra_metadata, status, distribution, metadata, settings_version,
  records_count, completed_count, last_activity_at, inserted_at, updated_at from datasets`

export async function findDataset(db: Queryable, id: Id): Promise<StoredDataset | null> {
  const row = await db.sql.get<DatasetRow>(`${SELECT} where id = ?`, [id])
  return row ? toStored(row) : null
}

export async function loadDataset(db: Queryable, id: Id): Promise<StoredDataset> {
  const dataset = await findDataset(db, id)
  if (!dataset) throw notFound('Dataset', id)
  return dataset
}

/** The dataset, locked: what is read of it and of its settings still holds when the change is written. */
export async function loadDatasetToChange(db: Queryable, id: Id): Promise<StoredDataset> {
  const row = await db.sql.get<DatasetRow>(`${SELECT} where id = ?${db.dialect.forUpdate}`, [id])
  if (!row) throw notFound('Dataset', id)
  return toStored(row)
}

/** The dataset of a record: a record whose dataset is gone is gone too, though its row is still to be removed. */
export async function loadDatasetOf(db: Queryable, record: { id: Id; dataset_id: Id }): Promise<StoredDataset> {
  const dataset = await findDataset(db, record.dataset_id)
  if (!dataset) throw notFound('Record', record.id)
  return dataset
}

export interface DatasetFilter {
  /** Null for all workspaces. */
  workspaceIds: readonly Id[] | null
  name?: string | undefined
  status?: string | undefined
}

export async function listDatasets(db: Queryable, filter: DatasetFilter): Promise<StoredDataset[]> {
  const { workspaceIds, name, status } = filter
  if (workspaceIds?.length === 0) return []
  const conditions = [
    ...(workspaceIds === null ? [] : [`workspace_id in (${marks(workspaceIds)})`]),
    ...(name === undefined ? [] : ['name = ?']),
    ...(status === undefined ? [] : ['status = ?']),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const params = [...(workspaceIds ?? []), name, status].filter(param => param !== undefined)
  const rows = await db.sql.all<DatasetRow>(`${SELECT} ${where} order by inserted_at, id`, params)
  return rows.map(toStored)
}

export async function insertDataset(db: Queryable, dataset: Dataset): Promise<void> {
  try {
    await db.kysely.insertInto('datasets').values(toRow(dataset)).execute()
  } catch (error) {
    throw nameTaken(db, dataset.name, error)
  }
}

/** Writes everything that may change of a dataset; records' totals are left alone. */
export async function updateDataset(db: Queryable, dataset: Dataset): Promise<void> {
  const { id, ...row } = toRow(dataset)
  try {
    await db.kysely.updateTable('datasets').set(row).where('id', '=', id).execute()
  } catch (error) {
    throw nameTaken(db, dataset.name, error)
  }
}

export async function deleteDataset(db: Queryable, id: Id): Promise<void> {
  await db.kysely.deleteFrom('datasets').where('id', '=', id).execute()
}

/** Says that fields, questions, metadata properties or vectors settings changed: what is kept of them is stale now. */
export async function bumpSettingsVersion(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('update datasets set settings_version = settings_version + 1 where id = ?', [id])
}

export async function touchActivity(db: Queryable, id: Id, now: string): Promise<void> {
  await db.sql.run('update datasets set last_activity_at = ? where id = ?', [now, id])
}

/** Locks the workspace too: it cannot be deleted before the dataset is in it. */
export async function hasWorkspace(db: Queryable, id: Id): Promise<boolean> {
  return (await db.sql.get(`select 1 from workspaces where id = ?${db.dialect.forUpdate}`, [id])) !== undefined
}

/** Any records of a dataset, for removing them. */
export async function listSomeRecordNumbers(db: Queryable, datasetId: Id, limit: number): Promise<number[]> {
  const rows = await db.sql.all<{ no: number }>('select no from records where dataset_id = ? limit ?', [datasetId, limit])
  return rows.map(row => row.no)
}

function nameTaken(db: Queryable, name: string, error: unknown): unknown {
  if (!db.dialect.isUniqueViolation(error)) return error
  return new DomainError('not_unique', `Dataset with name \`${name}\` already exists in this workspace`, ['name'])
}

function toStored(row: DatasetRow): StoredDataset {
  return {
    ...row,
    allow_extra_metadata: row.allow_extra_metadata === 1,
    status: row.status as Dataset['status'],
    distribution: JSON.parse(row.distribution),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  }
}

function toRow(dataset: Dataset) {
  const { id, workspace_id, name, guidelines, status, last_activity_at, inserted_at, updated_at } = dataset
  return {
    id,
    workspace_id,
    name,
    guidelines,
    status,
    last_activity_at,
    inserted_at,
    updated_at,
    allow_extra_metadata: dataset.allow_extra_metadata ? 1 : 0,
    distribution: JSON.stringify(dataset.distribution),
    metadata: dataset.metadata === null ? null : JSON.stringify(dataset.metadata),
  }
}

/** The dataset as the API shows it. */
export function toDataset({
  settings_version: _version,
  records_count: _records,
  completed_count: _completed,
  ...dataset
}: StoredDataset): Dataset {
  return dataset
}

/** Sets the kept totals: for mending only; writes of records keep them in step by themselves. */
export async function setCounts(db: Queryable, id: Id, counts: { records: number; completed: number }): Promise<void> {
  await db.sql.run('update datasets set records_count = ?, completed_count = ? where id = ?', [
    counts.records,
    counts.completed,
    id,
  ])
}
