/** The values to compare for each kind, computed in the same way for the source and for the stored data. */
import type { Dataset } from '@postil/domain/datasets'
import type { Field } from '@postil/domain/fields'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Question } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { Workspace } from '@postil/domain/workspaces'
import type { Membership } from '../features/workspaces/store.ts'
import type { SourceUser, SourceWebhook } from './read-accounts.ts'
import type { Annotator, SourceDataset } from './read-datasets.ts'
import type { SourceRecord } from './read-records.ts'
import type { Tally } from './tally.ts'

/** Without the password hash, which is replaced when the user signs in. */
export function addUser(tally: Tally, user: Omit<SourceUser, 'password_hash' | 'role'> & { role: string }): void {
  const { id, first_name, last_name, username, role, api_key, inserted_at, updated_at } = user
  tally.add('users', [id, first_name, last_name, username, role, api_key, inserted_at, updated_at])
}

export const addWorkspace = (tally: Tally, { id, name, inserted_at, updated_at }: Workspace): void =>
  tally.add('workspaces', [id, name, inserted_at, updated_at])

export const addMembership = (tally: Tally, { workspace_id, user_id, inserted_at }: Membership): void =>
  tally.add('memberships', [workspace_id, user_id, inserted_at])

export function addWebhook(tally: Tally, webhook: SourceWebhook): void {
  const { id, url, secret, events, enabled, description, inserted_at, updated_at } = webhook
  tally.add('webhooks', [id, url, secret, events, enabled, description, inserted_at, updated_at])
}

export const addAnnotator = (tally: Tally, datasetId: Id, { user_id, inserted_at }: Annotator): void =>
  tally.add('annotators', [datasetId, user_id, inserted_at])

export function addDataset(tally: Tally, from: Omit<SourceDataset, 'annotators'>): void {
  tally.add('datasets', toDatasetContent(from.dataset))
  for (const field of from.fields) tally.add('fields', [...toItemContent(field), field.required])
  for (const question of from.questions) {
    tally.add('questions', [...toItemContent(question), question.description, question.required])
  }
  for (const property of from.metadataProperties) {
    tally.add('metadata_properties', [...toItemContent(property), property.visible_for_annotators])
  }
  for (const { id, dataset_id, name, title, dimensions, inserted_at, updated_at } of from.vectorsSettings) {
    tally.add('vectors_settings', [id, dataset_id, name, title, dimensions, inserted_at, updated_at])
  }
}

const toDatasetContent = (dataset: Dataset): unknown[] => [
  dataset.id,
  dataset.name,
  dataset.guidelines,
  dataset.allow_extra_metadata,
  dataset.status,
  dataset.distribution,
  dataset.metadata,
  dataset.workspace_id,
  dataset.last_activity_at,
  dataset.inserted_at,
  dataset.updated_at,
]

type Item = Field | Question | MetadataProperty
const toItemContent = ({ id, dataset_id, name, title, settings, inserted_at, updated_at }: Item): unknown[] => [
  id,
  dataset_id,
  name,
  title,
  settings,
  inserted_at,
  updated_at,
]

export function addRecord(tally: Tally, datasetId: Id, record: SourceRecord): void {
  const { id, external_id, status, fields, metadata, inserted_at, updated_at } = record
  tally.add('records', [id, datasetId, external_id, status, fields, metadata, inserted_at, updated_at])
  for (const { id, record_id, user_id, status, values, inserted_at, updated_at } of record.responses) {
    tally.add('responses', [id, record_id, user_id, status, values, inserted_at, updated_at])
  }
  for (const suggestion of record.suggestions) {
    const { id, record_id, question_id, type, value, score, agent, inserted_at, updated_at } = suggestion
    tally.add('suggestions', [id, record_id, question_id, type, value, score, agent, inserted_at, updated_at])
  }
  for (const { record_id, vectors_settings_id, value } of record.vectors) {
    tally.add('vectors', [record_id, vectors_settings_id, value])
  }
}
