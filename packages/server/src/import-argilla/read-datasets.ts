/** Datasets of the source with their settings. */
import { DATASET_STATUSES, type Dataset } from '@postil/domain/datasets'
import { Distribution } from '@postil/domain/distribution'
import type { ShapeProblem } from '@postil/domain/errors'
import type { Field } from '@postil/domain/fields'
import { FIELD_TYPES } from '@postil/domain/fields/registry'
import { METADATA_TYPES } from '@postil/domain/metadata/registry'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Question } from '@postil/domain/questions'
import { QUESTION_TYPES } from '@postil/domain/questions/registry'
import type { Id, TSchema } from '@postil/domain/schema'
import type { VectorsSettings } from '@postil/domain/vectors'
import { compileSchema } from '../http/validate.ts'
import * as columns from './columns.ts'
import { RowProblem, toId, toText, toTimes } from './columns.ts'
import { type ImportProblems, takeRows } from './findings.ts'
import type { Source, SourceRow } from './source.ts'

/** A user who has responded in a dataset. */
export interface Annotator {
  user_id: Id
  inserted_at: string
}

export interface SourceDataset {
  dataset: Dataset
  fields: Field[]
  questions: Question[]
  metadataProperties: MetadataProperty[]
  vectorsSettings: VectorsSettings[]
  annotators: Annotator[]
}

interface KnownIds {
  workspaces: readonly { id: Id }[]
  users: readonly { id: Id }[]
}

export async function readDatasets(source: Source, checked: ImportProblems, known: KnownIds): Promise<SourceDataset[]> {
  const workspaceIds = new Set(known.workspaces.map(({ id }) => id))
  const rows = await source.all(
    `select id, name, guidelines, allow_extra_metadata, status, distribution, metadata, workspace_id, last_activity_at, inserted_at,
     updated_at from datasets order by inserted_at, id`,
  )
  const datasets = takeRows(checked, 'datasets', rows, row => toDataset(row, workspaceIds))
  const parts = await readParts(source, checked, { datasets, users: known.users })
  const of = <T extends { dataset_id: Id }>(items: readonly T[], id: Id) => items.filter(({ dataset_id }) => dataset_id === id)
  return datasets.map(dataset => ({
    dataset,
    fields: of(parts.fields, dataset.id),
    questions: of(parts.questions, dataset.id),
    metadataProperties: of(parts.metadataProperties, dataset.id),
    vectorsSettings: of(parts.vectorsSettings, dataset.id),
    annotators: of(parts.annotators, dataset.id).map(({ user_id, inserted_at }) => ({ user_id, inserted_at })),
  }))
}

function toDataset(row: SourceRow, workspaceIds: ReadonlySet<Id>): Dataset {
  const dataset: Dataset = {
    id: toId(row, 'id'),
    name: toText(row, 'name'),
    guidelines: columns.toNullableText(row, 'guidelines'),
    allow_extra_metadata: columns.toBool(row, 'allow_extra_metadata'),
    status: columns.toEnum(row, 'status', DATASET_STATUSES),
    distribution: toShape(Distribution, columns.toObject(row, 'distribution'), 'distribution') as Distribution,
    metadata: columns.toNullableObject(row, 'metadata'),
    workspace_id: toId(row, 'workspace_id'),
    last_activity_at: columns.toTime(row, 'last_activity_at'),
    ...toTimes(row),
  }
  if (!workspaceIds.has(dataset.workspace_id)) throw new RowProblem('its workspace is not there or is left out')
  return dataset
}

async function readParts(
  source: Source,
  checked: ImportProblems,
  { datasets, users }: { datasets: Dataset[]; users: KnownIds['users'] },
) {
  const datasetIds = new Set(datasets.map(({ id }) => id))
  const userIds = new Set(users.map(({ id }) => id))
  const read = async <T>(table: string, own: string, take: (row: SourceRow, item: Item) => T) => {
    const text = `select id, dataset_id, name, title, ${own}, inserted_at, updated_at from ${table} order by inserted_at, id`
    return takeRows(checked, table, await source.all(text), row => take(row, toItem(row, datasetIds)))
  }
  const people = await source.all('select dataset_id, user_id, inserted_at from datasets_users order by inserted_at, user_id')
  return {
    fields: await read('fields', 'required, settings', toField),
    questions: await read('questions', 'description, required, settings', toQuestion),
    metadataProperties: await read('metadata_properties', 'settings, allowed_roles', toProperty),
    vectorsSettings: await read('vectors_settings', 'dimensions', toVectors),
    annotators: takeRows(checked, 'datasets_users', people, row => toAnnotator(row, datasetIds, userIds)),
  }
}

interface Item {
  id: Id
  dataset_id: Id
  name: string
  title: string
  inserted_at: string
  updated_at: string
}

function toItem(row: SourceRow, datasetIds: ReadonlySet<Id>): Item {
  const dataset_id = toId(row, 'dataset_id')
  if (!datasetIds.has(dataset_id)) throw new RowProblem('its dataset is not there or is left out')
  return { id: toId(row, 'id'), dataset_id, name: toText(row, 'name'), title: toText(row, 'title'), ...toTimes(row) }
}

const toField = (row: SourceRow, item: Item): Field => ({
  ...item,
  required: columns.toBool(row, 'required'),
  settings: toSettings(FIELD_TYPES, row) as Field['settings'],
})

const toQuestion = (row: SourceRow, item: Item): Question => ({
  ...item,
  description: columns.toNullableText(row, 'description'),
  required: columns.toBool(row, 'required'),
  settings: toSettings(QUESTION_TYPES, row) as Question['settings'],
})

function toProperty(row: SourceRow, item: Item): MetadataProperty {
  const roles = columns.toJson(row, 'allowed_roles')
  return {
    ...item,
    settings: toSettings(METADATA_TYPES, row) as MetadataProperty['settings'],
    visible_for_annotators: Array.isArray(roles) && roles.includes('annotator'),
  }
}

function toVectors(row: SourceRow, item: Item): VectorsSettings {
  const dimensions = columns.toCount(row, 'dimensions')
  if (dimensions === 0) throw new RowProblem('`dimensions` is 0')
  return { ...item, dimensions }
}

function toAnnotator(row: SourceRow, datasetIds: ReadonlySet<Id>, userIds: ReadonlySet<Id>): Annotator & { dataset_id: Id } {
  const annotator = {
    dataset_id: toId(row, 'dataset_id'),
    user_id: toId(row, 'user_id'),
    inserted_at: columns.toTime(row, 'inserted_at'),
  }
  if (!datasetIds.has(annotator.dataset_id)) throw new RowProblem('its dataset is not there or is left out')
  if (!userIds.has(annotator.user_id)) throw new RowProblem('its user is not there or is left out')
  return annotator
}

interface SettingsType {
  name: string
  settings: TSchema
  settingsCreate: TSchema
  fillSettings?: (settings: never) => object
}

/** Returns the settings as they are if they have the stored shape; otherwise adds defaults, because older servers stored less. */
function toSettings(types: readonly SettingsType[], row: SourceRow): object {
  const given = columns.toObject(row, 'settings')
  const type = types.find(({ name }) => name === given.type)
  if (type === undefined) throw new RowProblem(`\`settings.type\` is not one of ${types.map(({ name }) => name).join(', ')}`)
  const problems: ShapeProblem[] = []
  const stored = compileSchema(type.settings)(given, [], problems)
  if (problems.length === 0) return stored as object
  const created = toShape(type.settingsCreate, given, 'settings')
  return type.fillSettings ? type.fillSettings(created as never) : (created as object)
}

function toShape(schema: TSchema, given: unknown, column: string): unknown {
  const problems: ShapeProblem[] = []
  const checked = compileSchema(schema)(given, [], problems)
  const [first] = problems
  if (first) throw new RowProblem(`\`${[column, ...first.loc].join('.')}\`: ${first.msg}`)
  return checked
}
