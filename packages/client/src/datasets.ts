import type { Dataset, DatasetCreate } from '@postil/domain/datasets'
import { DomainError } from '@postil/domain/errors'
import type { Field, FieldCreate } from '@postil/domain/fields'
import { listed, quoted } from '@postil/domain/message-values'
import type { MetadataProperty, MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { Question, QuestionCreate } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { VectorsSettings, VectorsSettingsCreate } from '@postil/domain/vectors'
import type { Client } from './client.ts'

/** The title is optional and defaults to the name. */
type WithOptionalTitle<T extends { title: string }> = Omit<T, 'title'> & { title?: string }

export interface DatasetDescription extends Omit<DatasetCreate, 'workspace_id'> {
  /** Name or id. */
  workspace: string
  fields: WithOptionalTitle<FieldCreate>[]
  questions: WithOptionalTitle<QuestionCreate>[]
  metadata_properties?: WithOptionalTitle<MetadataPropertyCreate>[]
  vectors_settings?: WithOptionalTitle<VectorsSettingsCreate>[]
}

export interface DatasetWithSettings {
  dataset: Dataset
  fields: Field[]
  questions: Question[]
  metadata_properties: MetadataProperty[]
  vectors_settings: VectorsSettings[]
}

/** Creates a dataset with all its settings and publishes it. If a step fails, the dataset is deleted again. */
export async function createDatasetWithSettings(client: Client, description: DatasetDescription): Promise<DatasetWithSettings> {
  const { workspace, fields, questions, metadata_properties, vectors_settings, ...body } = description
  const workspace_id = await loadWorkspaceId(client, workspace)
  const draft = await client.createDataset({ body: { ...body, workspace_id } })
  try {
    return await addSettings(client, draft.id, description)
  } catch (error) {
    // The caller needs the first error. If the draft cannot be deleted either, it stays visible to the user.
    await client.deleteDataset({ params: { dataset_id: draft.id } }).catch(() => {})
    throw error
  }
}

async function addSettings(client: Client, dataset_id: Id, description: DatasetDescription): Promise<DatasetWithSettings> {
  const { fields, questions, metadata_properties = [], vectors_settings = [] } = description
  const params = { dataset_id }
  const settings = {
    fields: await createInOrder(fields, body => client.createField({ params, body })),
    questions: await createInOrder(questions, body => client.createQuestion({ params, body })),
    metadata_properties: await createInOrder(metadata_properties, body => client.createMetadataProperty({ params, body })),
    vectors_settings: await createInOrder(vectors_settings, body => client.createVectorsSettings({ params, body })),
  }
  return { dataset: await client.publishDataset({ params }), ...settings }
}

/** Sequential, because settings are shown in the order in which they were created. */
async function createInOrder<T extends { name: string; title?: string }, A>(
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
