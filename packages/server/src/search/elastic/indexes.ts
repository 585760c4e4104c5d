/** Names, creates, extends and deletes the indexes of datasets in the cluster. */
import type { Id } from '@postil/domain/schema'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import type { ElasticConfig } from '../../search-settings.ts'
import type { EngineClient } from './client.ts'
import { EngineError, isStatus } from './errors.ts'
import type { Flavour } from './flavour.ts'
import { toIndexBody, toMappingGrowth } from './mapping.ts'

/** How long the engine remembers deletions, so that a late write of an older version cannot restore a deleted record. */
const DELETES_KEPT = '1h'

/** The alias by which operators can find the index of a dataset. Searches use the index name from its state. */
const toAlias = (prefix: string, datasetId: Id) => `${prefix}.${datasetId}`

/** Documents are written through a separate alias, so that a write cannot recreate a deleted index. */
export const toWriteAlias = (index: string) => `${index}.write`

/** Returns a unique name, so that an orphaned index cannot be mistaken for this one. */
export const toIndexName = (prefix: string, datasetId: Id, now = Date.now()) =>
  `${toAlias(prefix, datasetId)}-${now.toString(36)}${Math.floor(Math.random() * 36 ** 4).toString(36)}`

/** Returns the dataset to which the index belongs, or null for other indexes. */
export function findDatasetOf(prefix: string, index: string): Id | null {
  const rest = index.startsWith(`${prefix}.`) ? index.slice(prefix.length + 1) : ''
  return /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-[0-9a-z]+$/.exec(rest)?.[1] ?? null
}

export async function createIndex(
  client: EngineClient,
  index: string,
  settings: DatasetSettings,
  { config, flavour, databaseId }: { config: ElasticConfig; flavour: Flavour; databaseId: string },
): Promise<void> {
  const { shards, replicas, fieldsMax: totalFieldsMax } = config
  const body = toIndexBody(settings, { flavour, shards, replicas, totalFieldsMax, databaseId })
  const ours = { gc_deletes: DELETES_KEPT }
  const { index: given } = body.settings as { index: object }
  try {
    await client.request({
      method: 'PUT',
      path: `/${index}`,
      query: { wait_for_active_shards: 1 },
      body: { ...body, settings: { index: { ...given, ...ours } }, aliases: { [toWriteAlias(index)]: {} } },
    })
  } catch (error) {
    // Ignored because the request may have been sent twice.
    if (!(error instanceof EngineError && error.type === 'resource_already_exists_exception')) throw error
  }
}

export async function growMapping(
  client: EngineClient,
  index: string,
  settings: DatasetSettings,
  flavour: Flavour,
): Promise<void> {
  await client.request({ method: 'PUT', path: `/${index}/_mapping`, body: toMappingGrowth(settings, flavour) })
}

/** Points the alias of a dataset to this index only. */
export async function switchAlias(client: EngineClient, prefix: string, datasetId: Id, index: string): Promise<void> {
  const alias = toAlias(prefix, datasetId)
  const others = (await listAliased(client, alias)).filter(name => name !== index)
  const actions = [...others.map(other => ({ remove: { index: other, alias } })), { add: { index, alias } }]
  await client.request({ method: 'POST', path: '/_aliases', body: { actions } })
}

async function listAliased(client: EngineClient, alias: string): Promise<string[]> {
  try {
    return Object.keys(await client.request<object>({ method: 'GET', path: `/_alias/${alias}` }))
  } catch (error) {
    if (isStatus(error, 404)) return []
    throw error
  }
}

export async function deleteIndex(client: EngineClient, index: string): Promise<void> {
  try {
    await client.request({ method: 'DELETE', path: `/${index}` })
  } catch (error) {
    if (!isStatus(error, 404)) throw error
  }
}

/** Returns the names of all indexes that belong to datasets. */
export async function listIndexes(client: EngineClient, prefix: string): Promise<string[]> {
  const query = { format: 'json', h: 'index', expand_wildcards: 'all' }
  const rows = await client.request<{ index: string }[]>({ method: 'GET', path: `/_cat/indices/${prefix}.*`, query })
  return rows.map(row => row.index).filter(index => findDatasetOf(prefix, index) !== null)
}

export async function hasIndex(client: EngineClient, index: string): Promise<boolean> {
  try {
    await client.request({ method: 'GET', path: `/${index}/_settings` })
    return true
  } catch (error) {
    if (isStatus(error, 404)) return false
    throw error
  }
}

export async function refreshIndex(client: EngineClient, index: string): Promise<void> {
  await client.request({ method: 'POST', path: `/${index}/_refresh` })
}
