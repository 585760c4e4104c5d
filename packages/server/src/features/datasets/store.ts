/** All SQL of datasets. */

import type { Dataset } from '@postil/domain/datasets'
import { DomainError, notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { DatasetHeadsTable } from '../../storage/change-tables.ts'
import { insertHead } from '../../storage/changes.ts'
import { marks, type Queryable } from '../../storage/database.ts'
import { datasetIdOf, findDatasetNo } from '../../storage/dataset-numbers.ts'
import type { DatasetsTable } from '../../storage/tables.ts'

type DatasetRow = Selectable<DatasetsTable & Omit<DatasetHeadsTable, 'dataset_id' | 'no'>>

/** A dataset with what the server keeps about it; `toDataset` leaves that out of answers. */
export interface StoredDataset extends Dataset {
  settings_version: number
  /** The newest entry of its log: what a search must have seen. */
  change_no: number
  records_count: number
  completed_count: number
}

const SELECT = `select d.id, d.workspace_id, d.name, d.guidelines, d.allow_extra_metadata, d.status, d.distribution, d.metadata,
  d.settings_version, h.change_no, h.records_count, h.completed_count, h.last_activity_at, d.inserted_at, d.updated_at
  from datasets d join dataset_heads h on h.dataset_id = d.id`

export async function findDataset(db: Queryable, id: Id): Promise<StoredDataset | null> {
  const row = await db.sql.get<DatasetRow>(`${SELECT} where d.id = ?`, [id])
  return row ? toStored(row) : null
}

export async function loadDataset(db: Queryable, id: Id): Promise<StoredDataset> {
  const dataset = await findDataset(db, id)
  if (!dataset) throw notFound('Dataset', id)
  return dataset
}

/** The dataset, locked: what is read of it and of its settings still holds when the change is written. */
export async function loadDatasetToChange(db: Queryable, id: Id): Promise<StoredDataset> {
  // Its head is not locked: that is for the end of the transaction.
  if (db.dialect.forUpdate !== '') await db.sql.get(`select 1 from datasets where id = ?${db.dialect.forUpdate}`, [id])
  return loadDataset(db, id)
}

/**
 * Keeps a dataset and its settings from being changed until the transaction ends; others can do the same meanwhile. For those who change
 * its records by what it demands of them. Before records are locked: those who change a dataset lock it before its records.
 */
export async function lockDataset(db: Queryable, id: Id): Promise<void> {
  if (db.dialect.forShare !== '') await db.sql.get(`select 1 from datasets where id = ?${db.dialect.forShare}`, [id])
}

/** The same for the dataset of a record. */
export async function lockDatasetOf(db: Queryable, recordId: Id): Promise<void> {
  if (db.dialect.forShare === '') return
  const text = `select 1 from datasets where id = (select ${datasetIdOf('r')} from records r where r.id = ?)${db.dialect.forShare}`
  await db.sql.get(text, [recordId])
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
    ...(workspaceIds === null ? [] : [`d.workspace_id in (${marks(workspaceIds)})`]),
    ...(name === undefined ? [] : ['d.name = ?']),
    ...(status === undefined ? [] : ['d.status = ?']),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const params = [...(workspaceIds ?? []), name, status].filter(param => param !== undefined)
  const rows = await db.sql.all<DatasetRow>(`${SELECT} ${where} order by d.inserted_at, d.id`, params)
  return rows.map(toStored)
}

export async function insertDataset(db: Queryable, dataset: Dataset): Promise<void> {
  try {
    await db.kysely.insertInto('datasets').values(toRow(dataset)).execute()
  } catch (error) {
    throw nameTaken(db, dataset.name, error)
  }
  await insertHead(db, dataset.id, dataset.last_activity_at)
}

/** Writes everything that may change of a dataset; what its head holds is left alone. */
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

/** Locks the workspace too: it cannot be deleted before the dataset is in it. */
export async function hasWorkspace(db: Queryable, id: Id): Promise<boolean> {
  return (await db.sql.get(`select 1 from workspaces where id = ?${db.dialect.forUpdate}`, [id])) !== undefined
}

/** Any records of a dataset, for removing them. */
export async function listSomeRecordNumbers(db: Queryable, datasetId: Id, limit: number): Promise<number[]> {
  return db.sql.column('select no from records where dataset_no = ? limit ?', [await findDatasetNo(db, datasetId), limit])
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
  const { id, workspace_id, name, guidelines, status, inserted_at, updated_at } = dataset
  return {
    id,
    workspace_id,
    name,
    guidelines,
    status,
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
  change_no: _change,
  records_count: _records,
  completed_count: _completed,
  ...dataset
}: StoredDataset): Dataset {
  return dataset
}
