import type { Dataset, DatasetCreate } from '@postil/domain/datasets'
import { DomainError } from '@postil/domain/errors'
import type { Field, FieldCreate } from '@postil/domain/fields'
import type { MetadataProperty, MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import { listed, quoted } from '@postil/domain/own'
import type { Question, QuestionCreate } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { VectorsSettings, VectorsSettingsCreate } from '@postil/domain/vectors'
import type { Client } from './client.ts'

/** The name is the title where none is given. */
type Titled<T extends { title: string }> = Omit<T, 'title'> & { title?: string }

export interface DatasetDescription extends Omit<DatasetCreate, 'workspace_id'> {
  /** Name or id. */
  workspace: string
  fields: Titled<FieldCreate>[]
  questions: Titled<QuestionCreate>[]
  metadata_properties?: Titled<MetadataPropertyCreate>[]
  vectors_settings?: Titled<VectorsSettingsCreate>[]
}

export interface DatasetWithSettings {
  dataset: Dataset
  fields: Field[]
  questions: Question[]
  metadata_properties: MetadataProperty[]
  vectors_settings: VectorsSettings[]
}

/** Creates a dataset with all its settings and publishes it. When a step fails, nothing is left behind. */
export async function createDatasetWithSettings(client: Client, description: DatasetDescription): Promise<DatasetWithSettings> {
  const { workspace, fields, questions, metadata_properties, vectors_settings, ...body } = description
  const workspace_id = await loadWorkspaceId(client, workspace)
  const draft = await client.createDataset({ body: { ...body, workspace_id } })
  try {
    return await addSettings(client, draft.id, description)
  } catch (error) {
    // What went wrong first is what the caller must know; a draft that cannot be deleted either stays visible to them.
    await client.deleteDataset({ params: { dataset_id: draft.id } }).catch(() => {})
    throw error
  }
}

async function addSettings(client: Client, dataset_id: Id, description: DatasetDescription): Promise<DatasetWithSettings> {
  const { fields, questions, metadata_properties = [], vectors_settings = [] } = description
  const params = { dataset_id }
  const settings = {
    fields: await inTurn(fields, body => client.createField({ params, body })),
    questions: await inTurn(questions, body => client.createQuestion({ params, body })),
    metadata_properties: await inTurn(metadata_properties, body => client.createMetadataProperty({ params, body })),
    vectors_settings: await inTurn(vectors_settings, body => client.createVectorsSettings({ params, body })),
  }
  return { dataset: await client.publishDataset({ params }), ...settings }
}

/** One after the other: settings are shown in the order they were created. */
async function inTurn<T extends { name: string; title?: string }, A>(
  given: readonly T[],
  create: (body: T & { title: string }) => Promise<A>,
): Promise<A[]> {
  const created: A[] = []
  for (const one of given) created.push(await create({ ...one, title: one.title ?? one.name }))
  return created
}

async function loadWorkspaceId(client: Client, nameOrId: string): Promise<Id> {
  const { items } = await client.listMyWorkspaces()
  const found = items.find(({ name }) => name === nameOrId) ?? items.find(({ id }) => id === nameOrId)
  if (found) return found.id
  const names = listed(items.map(({ name }) => quoted(name)))
  throw new DomainError('not_found', `${quoted(nameOrId)} is not a workspace of this user. Workspaces: ${names || 'none'}`)
}
