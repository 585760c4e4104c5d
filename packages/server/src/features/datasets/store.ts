/** All SQL of datasets. */

import type { Dataset } from '@postil/domain/datasets'
import { DomainError, notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { DatasetHeadsTable } from '../../storage/change-tables.ts'
import { insertHead } from '../../storage/changes.ts'
import { marks, type Queryable } from '../../storage/database.ts'
import { datasetIdSql, findDatasetNo } from '../../storage/dataset-numbers.ts'
import type { DatasetsTable } from '../../storage/tables.ts'

type DatasetRow = Selectable<DatasetsTable & Omit<DatasetHeadsTable, 'dataset_id' | 'no'>>

/** A dataset with internal columns, which `toDataset` removes from API responses. */
export interface StoredDataset extends Dataset {
  settings_version: number
  /** Number of the newest entry in its change log. A search must include all changes up to it. */
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

/** Every change of a dataset, its settings or its records changes at least one of these. */
const STAMPS = ['change_no', 'settings_version', 'updated_at', 'status', 'records_count', 'completed_count'] as const

export type DatasetStamps = Pick<StoredDataset, (typeof STAMPS)[number]>

/** Loads only the columns needed to detect whether a dataset has changed. */
export async function findDatasetStamps(db: Queryable, id: Id): Promise<DatasetStamps | null> {
  const text = `select h.change_no, d.settings_version, d.updated_at, d.status, h.records_count, h.completed_count
    from datasets d join dataset_heads h on h.dataset_id = d.id where d.id = ?`
  return (await db.sql.get<DatasetStamps>(text, [id])) ?? null
}

export const hasSameStamps = (a: DatasetStamps, b: DatasetStamps): boolean => STAMPS.every(stamp => a[stamp] === b[stamp])

export async function loadDataset(db: Queryable, id: Id): Promise<StoredDataset> {
  const dataset = await findDataset(db, id)
  if (!dataset) throw notFound('Dataset', id)
  return dataset
}

/** Loads the dataset and locks it, so that the dataset and its settings cannot change before the write. */
export async function loadDatasetToChange(db: Queryable, id: Id): Promise<StoredDataset> {
  // The head is not locked here, but only at the end of the transaction.
  if (db.dialect.forUpdate !== '') await db.sql.get(`select 1 from datasets where id = ?${db.dialect.forUpdate}`, [id])
  return loadDataset(db, id)
}

/**
 * Takes a shared lock that prevents changes to a dataset and its settings until the transaction ends. Used by changes to records
 * that depend on the settings. Take it before locking records, because changes to a dataset lock in that order too.
 */
export async function findLockedDataset(db: Queryable, id: Id): Promise<StoredDataset | null> {
  const row = await db.sql.get<DatasetRow>(`${SELECT} where d.id = ?${lockOf(db)}`, [id])
  return row ? toStored(row) : null
}

export async function loadLockedDataset(db: Queryable, id: Id): Promise<StoredDataset> {
  const dataset = await findLockedDataset(db, id)
  if (!dataset) throw notFound('Dataset', id)
  return dataset
}

/**
 * Same as `findLockedDataset`, for the dataset of a record. A record without its dataset counts as not found, even if its row
 * still exists.
 */
export async function loadLockedDatasetOf(db: Queryable, recordId: Id): Promise<StoredDataset> {
  const text = `${SELECT} where d.id = (select ${datasetIdSql('r')} from records r where r.id = ?)${lockOf(db)}`
  const row = await db.sql.get<DatasetRow>(text, [recordId])
  if (!row) throw notFound('Record', recordId)
  return toStored(row)
}

/** The head is not locked, so values read from it may be older than the dataset. */
const lockOf = ({ dialect }: Queryable): string => (dialect.forShare === '' ? '' : `${dialect.forShare} of d`)

/** Loads the dataset of a record. If it was deleted, the record counts as not found. */
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

/** Returns workspace ids by dataset id. */
export async function listDatasetWorkspaces(db: Queryable, ids: readonly Id[]): Promise<Map<Id, Id>> {
  if (ids.length === 0) return new Map()
  const text = `select id, workspace_id from datasets where id in (${marks(ids)})`
  const rows = await db.sql.all<{ id: Id; workspace_id: Id }>(text, ids)
  return new Map(rows.map(row => [row.id, row.workspace_id]))
}

export async function insertDataset(db: Queryable, dataset: Dataset): Promise<void> {
  try {
    await db.kysely.insertInto('datasets').values(toRow(dataset)).execute()
  } catch (error) {
    throw nameTaken(db, dataset.name, error)
  }
  await insertHead(db, dataset.id, dataset.last_activity_at)
}

/** Updates all columns of a dataset that can change, but not its head. */
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

/** Invalidates cached settings after a change of fields, questions, metadata properties or vectors settings. */
export async function bumpSettingsVersion(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('update datasets set settings_version = settings_version + 1 where id = ?', [id])
}

/** Also locks the workspace, so that it cannot be deleted before the dataset is added. */
export async function hasWorkspace(db: Queryable, id: Id): Promise<boolean> {
  return (await db.sql.get(`select 1 from workspaces where id = ?${db.dialect.forUpdate}`, [id])) !== undefined
}

/** Lists arbitrary records of a dataset, for deletion. */
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

/** Converts to the API representation. */
export function toDataset({
  settings_version: _version,
  change_no: _change,
  records_count: _records,
  completed_count: _completed,
  ...dataset
}: StoredDataset): Dataset {
  return dataset
}
