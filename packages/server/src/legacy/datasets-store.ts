/** All SQL of task datasets. */
import { allow } from '@postil/domain/errors'
import type { LegacyDataset } from '@postil/domain/legacy/api-datasets'
import { entityExists, entityNotFound, missingWorkspace, wrongTask } from '@postil/domain/legacy/errors'
import type { Rule } from '@postil/domain/legacy/labeling-rules'
import type { Settings } from '@postil/domain/legacy/settings'
import type { Task } from '@postil/domain/legacy/tasks'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id, Json } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { RequestContext } from '../context.ts'
import { listWorkspacesByNames } from '../features/workspaces/store.ts'
import type { Queryable } from '../storage/database.ts'
import type { LegacyDatasetsTable } from '../storage/legacy-tables.ts'

/** Properties of all records, defined by the first ones. */
export interface Facts {
  multi_label?: boolean
  /** Dimensions by name of the vector. */
  vectors: Record<string, number>
  metadata_keys: string[]
}

export const NO_FACTS: Facts = { vectors: {}, metadata_keys: [] }

export interface TaskDataset {
  no: number
  id: Id
  workspace_id: Id
  workspace: string
  name: string
  task: Task
  tags: Record<string, string>
  metadata: Record<string, Json>
  settings: Settings | null
  rules: Rule[]
  facts: Facts
  is_closed: boolean
  created_by: string | null
  created_at: string
  last_updated: string
  /** Incremented with every write of records. */
  change_no: number
  /** The last change that deleted records. */
  deleted_no: number
}

type Row = Selectable<LegacyDatasetsTable> & { workspace: string }

const SELECT = `select d.no, d.id, d.workspace_id, w.name as workspace, d.name, d.task, d.tags, d.metadata, d.settings, d.rules, d.facts,
  d.is_closed, d.created_by, d.created_at, d.last_updated, d.change_no, d.deleted_no from legacy_datasets d join workspaces w on w.id = d.workspace_id`

/** Limit of the list. */
const DATASETS_MAX = 2_500

const toDataset = (row: Row): TaskDataset => ({
  ...row,
  no: Number(row.no),
  change_no: Number(row.change_no),
  deleted_no: Number(row.deleted_no),
  task: row.task as Task,
  tags: JSON.parse(row.tags),
  metadata: JSON.parse(row.metadata),
  settings: row.settings === null ? null : JSON.parse(row.settings),
  rules: JSON.parse(row.rules),
  facts: JSON.parse(row.facts),
  is_closed: row.is_closed === 1,
})

/** Returns the dataset in the format of 1.x clients. */
export function toLegacyDataset({
  tags,
  metadata,
  name,
  task,
  workspace,
  created_at,
  created_by,
  last_updated,
}: TaskDataset): LegacyDataset {
  return {
    tags,
    metadata,
    name,
    task,
    workspace,
    id: `${workspace}.${name}`,
    owner: workspace,
    created_at,
    ...(created_by === null ? {} : { created_by }),
    last_updated,
  }
}

export interface DatasetRef {
  workspace: string
  name: string
  task?: Task
}

export async function findDataset(
  db: Queryable,
  { workspace, name }: DatasetRef,
  { lock = false } = {},
): Promise<TaskDataset | null> {
  if (workspace === '') throw missingWorkspace()
  const forUpdate = lock && db.dialect.forUpdate !== '' ? `${db.dialect.forUpdate} of d` : ''
  const row = await db.sql.get<Row>(`${SELECT} where w.name = ? and d.name = ?${forUpdate}`, [workspace, name])
  return row ? toDataset(row) : null
}

/** Returns the dataset if the caller may read it. The order of the checks is part of the contract. */
export async function loadDataset(
  ctx: RequestContext,
  db: Queryable,
  place: DatasetRef,
  options: { lock?: boolean } = {},
): Promise<TaskDataset> {
  const dataset = await findDataset(db, place, options)
  if (!dataset) throw entityNotFound('ServiceDataset', place.name)
  if (place.task !== undefined && dataset.task !== place.task) {
    throw wrongTask(`Dataset \`${place.name}\` has the task ${dataset.task}, not ${place.task}`)
  }
  allow(canReadDataset(ctx.actor, dataset))
  return dataset
}

/** Null lists the datasets of all workspaces. */
export async function listDatasets(db: Queryable, workspaceIds: readonly Id[] | null): Promise<TaskDataset[]> {
  const order = `order by d.created_at, d.no limit ${DATASETS_MAX}`
  if (workspaceIds === null) return (await db.sql.all<Row>(`${SELECT} ${order}`)).map(toDataset)
  const found: TaskDataset[] = []
  for (const id of workspaceIds) {
    found.push(...(await db.sql.all<Row>(`${SELECT} where d.workspace_id = ? ${order}`, [id])).map(toDataset))
  }
  return found.slice(0, DATASETS_MAX)
}

export async function loadWorkspaceByName(db: Queryable, name: string) {
  const [workspace] = await listWorkspacesByNames(db, [name])
  if (!workspace) throw entityNotFound('Workspace', name)
  return workspace
}

export type NewDataset = Omit<TaskDataset, 'no' | 'change_no' | 'deleted_no'>

const COLUMNS = [
  'id',
  'workspace_id',
  'name',
  'task',
  'tags',
  'metadata',
  'settings',
  'rules',
  'facts',
  'is_closed',
  'created_by',
  'created_at',
  'last_updated',
] as const

function toRow(dataset: NewDataset) {
  const { workspace: _workspace, ...row } = dataset
  return {
    ...row,
    tags: JSON.stringify(row.tags),
    metadata: JSON.stringify(row.metadata),
    settings: row.settings === null ? null : JSON.stringify(row.settings),
    rules: JSON.stringify(row.rules),
    facts: JSON.stringify(row.facts),
    is_closed: row.is_closed ? 1 : 0,
  }
}

/** Throws if the workspace has a dataset of this name; `type` is its name in the error. */
export async function insertDataset(
  db: Queryable,
  dataset: NewDataset,
  type: 'ServiceDataset' | 'Dataset',
): Promise<TaskDataset> {
  const row = toRow(dataset)
  const values = COLUMNS.map(column => row[column])
  try {
    await db.sql.run(`insert into legacy_datasets (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`, values)
  } catch (error) {
    if (db.dialect.isUniqueViolation(error)) throw entityExists(type, dataset.name, dataset.workspace)
    // The workspace was deleted concurrently.
    throw db.dialect.isForeignKeyViolation(error) ? entityNotFound('Workspace', dataset.workspace) : error
  }
  const stored = await db.sql.get<Row>(`${SELECT} where d.id = ?`, [dataset.id])
  if (!stored) throw new Error('the dataset that was just stored is not there')
  return toDataset(stored)
}

/** Writes all mutable columns of a dataset, except for its change numbers. */
export async function updateDataset(db: Queryable, dataset: TaskDataset): Promise<void> {
  const { tags, metadata, settings, rules, facts, is_closed, last_updated } = toRow(dataset)
  await db.sql.run(
    `update legacy_datasets set tags = ?, metadata = ?, settings = ?, rules = ?, facts = ?, is_closed = ?, last_updated = ? where no = ?`,
    [tags, metadata, settings, rules, facts, is_closed, last_updated, dataset.no],
  )
}

export async function deleteDatasetRow(db: Queryable, no: number): Promise<void> {
  await db.sql.run('delete from legacy_datasets where no = ?', [no])
}
