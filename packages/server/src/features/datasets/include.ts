/** Adds the parts requested with `include` to datasets, with a few statements for any number of datasets. */
import {
  CONTRIBUTORS_MAX,
  type Contributor,
  type DatasetInclude,
  type DatasetWithIncludes,
} from '@postil/domain/dataset-includes'
import { type Actor, canSeeMetadataProperty } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { listFieldsOf } from '../fields/store.ts'
import { listMetadataPropertiesOf, toMetadataProperty } from '../metadata-properties/store.ts'
import { listQuestionsOf, toQuestion } from '../questions/store.ts'
import { listVectorsSettingsOf, toVectorsSettings } from '../vectors-settings/store.ts'
import { listWorkspacesByIds } from '../workspaces/store.ts'
import { loadMyMetrics } from './my-metrics.ts'
import { loadMyPace } from './my-pace.ts'
import { toProgress } from './progress.ts'
import { listContributors } from './progress-store.ts'
import { type StoredDataset, toDataset } from './store.ts'

/** Keeps statements below the database's limit of parameters. */
const DATASETS_PER_QUERY = 1_000

type Includes = ReadonlySet<DatasetInclude>

/** Properties added to one dataset; absent unless requested. */
type Extras = Omit<DatasetWithIncludes, keyof ReturnType<typeof toDataset>>
type ExtrasOf = (dataset: StoredDataset) => Extras

export async function includeInDatasets(
  db: Queryable,
  actor: Actor,
  datasets: readonly StoredDataset[],
  includes: Includes,
  todayStart = '',
): Promise<DatasetWithIncludes[]> {
  const included: DatasetWithIncludes[] = []
  for (let start = 0; start < datasets.length; start += DATASETS_PER_QUERY) {
    const some = datasets.slice(start, start + DATASETS_PER_QUERY)
    const parts = [
      ...(await settingsOf(db, actor, some, includes)),
      ...(await countsOf(db, actor, some, { includes, todayStart })),
    ]
    included.push(...some.map(dataset => Object.assign(toDataset(dataset), ...parts.map(part => part(dataset)))))
  }
  return included
}

async function settingsOf(db: Queryable, actor: Actor, datasets: readonly StoredDataset[], includes: Includes) {
  const ids = datasets.map(dataset => dataset.id)
  const parts: ExtrasOf[] = []
  if (includes.has('fields')) {
    const fields = byDataset(await listFieldsOf(db, ids))
    parts.push(({ id }) => ({ fields: fields(id) }))
  }
  if (includes.has('questions')) {
    const questions = byDataset(await listQuestionsOf(db, ids))
    parts.push(({ id }) => ({ questions: questions(id).map(toQuestion) }))
  }
  if (includes.has('metadata_properties')) {
    const properties = byDataset(await listMetadataPropertiesOf(db, ids))
    parts.push(dataset => {
      const visible = properties(dataset.id).filter(property => canSeeMetadataProperty(actor, dataset, property))
      return { metadata_properties: visible.map(toMetadataProperty) }
    })
  }
  if (includes.has('vectors_settings')) {
    const settings = byDataset(await listVectorsSettingsOf(db, ids))
    parts.push(({ id }) => ({ vectors_settings: settings(id).map(toVectorsSettings) }))
  }
  if (includes.has('workspace')) {
    const workspaces = await listWorkspacesByIds(db, [...new Set(datasets.map(dataset => dataset.workspace_id))])
    const names = new Map(workspaces.map(({ id, name }) => [id, name]))
    parts.push(({ workspace_id: id }) => ({ workspace: { id, name: names.get(id) ?? '' } }))
  }
  return parts
}

async function countsOf(
  db: Queryable,
  actor: Actor,
  datasets: readonly StoredDataset[],
  { includes, todayStart }: { includes: Includes; todayStart: string },
) {
  const ids = datasets.map(dataset => dataset.id)
  const parts: ExtrasOf[] = []
  if (includes.has('progress') || includes.has('users')) {
    const contributors = byDataset(await listContributors(db, ids))
    if (includes.has('progress')) parts.push(dataset => ({ progress: toProgress(dataset, contributors(dataset.id)) }))
    if (includes.has('users')) parts.push(({ id }) => ({ users: firstOf(contributors(id)) }))
  }
  if (includes.has('metrics')) {
    const metricsOf = await loadMyMetrics(db, datasets, actor.id)
    parts.push(dataset => ({ metrics: metricsOf(dataset) }))
  }
  if (includes.has('pace')) {
    const paceOf = await loadMyPace(db, ids, { userId: actor.id, todayStart })
    parts.push(({ id }) => ({ pace: paceOf(id) }))
  }
  if (includes.has('records_total')) parts.push(({ records_count }) => ({ records_total: records_count }))
  return parts
}

function firstOf(contributors: readonly Contributor[]): { items: Contributor[]; total: number } {
  const items = contributors
    .slice(0, CONTRIBUTORS_MAX)
    .map(({ id, username, first_name, last_name }) => ({ id, username, first_name, last_name }))
  return { items, total: contributors.length }
}

/** Groups rows by dataset and keeps their order. */
function byDataset<Row extends { dataset_id: Id }>(rows: readonly Row[]): (id: Id) => Row[] {
  const groups = Map.groupBy(rows, row => row.dataset_id)
  return id => groups.get(id) ?? []
}
