/** Published datasets, created through the use cases. */
import type { FieldCreate } from '@postil/domain/fields'
import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { QuestionCreate } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { VectorsSettingsCreate } from '@postil/domain/vectors'
import type { Context, RequestContext } from '../../../context.ts'
import { createDataset } from '../../../features/datasets/create.ts'
import { publishDataset } from '../../../features/datasets/publish.ts'
import { type DatasetSettings, loadDatasetSettings } from '../../../features/datasets/settings.ts'
import { loadDataset, type StoredDataset } from '../../../features/datasets/store.ts'
import { createField } from '../../../features/fields/create.ts'
import { createMetadataProperty } from '../../../features/metadata-properties/create.ts'
import { createQuestion } from '../../../features/questions/create.ts'
import { createVectorsSettings } from '../../../features/vectors-settings/create.ts'
import type { Database, Queryable } from '../../../storage/database.ts'
import { actAs, addWorkspace, type TestContext } from '../../../testing/context.ts'
import { createEmbeddedEngine } from '../../embedded/engine.ts'

/** Options of questions. They sort differently by code point, by UTF-16 code unit, as numbers, and case-insensitively. */
export const LABELS = ['a', 'B', '10', '2', 'é', '😀', '\uFFFD']
const options = LABELS.map(value => ({ value, text: value }))

const FIELDS: FieldCreate[] = [
  { name: 'body', title: 'Body', required: true, settings: { type: 'text' } },
  { name: 'talk', title: 'Talk', settings: { type: 'chat' } },
  { name: 'page', title: 'Page', settings: { type: 'custom', template: '', advanced_mode: false } },
  { name: 'picture', title: 'Picture', settings: { type: 'image' } },
]

const QUESTIONS: QuestionCreate[] = [
  { name: 'label', title: 'Label', required: true, settings: { type: 'label_selection', options } },
  { name: 'labels', title: 'Labels', settings: { type: 'multi_label_selection', options } },
  { name: 'stars', title: 'Stars', settings: { type: 'rating', options: [1, 2, 3].map(value => ({ value })) } },
  { name: 'order', title: 'Order', settings: { type: 'ranking', options } },
  { name: 'note', title: 'Note', settings: { type: 'text' } },
  { name: 'spots', title: 'Spots', settings: { type: 'span', field: 'body', options } },
]

/** Some names have a special meaning in JavaScript, JSON or SQL, and must work like any other. */
export const PROPERTIES: MetadataPropertyCreate[] = [
  { name: 'source', title: 'Source', settings: { type: 'terms', values: null } },
  { name: 'count', title: 'Count', settings: { type: 'integer', min: null, max: 9 } },
  { name: 'weight "x"\\', title: 'Weight', settings: { type: 'float', min: null, max: null } },
  { name: '__proto__', title: 'Proto', settings: { type: 'terms', values: null } },
]

/** The settings of a dataset. */
interface Definition {
  fields: readonly FieldCreate[]
  questions: readonly QuestionCreate[]
  properties: readonly MetadataPropertyCreate[]
  vectors: readonly VectorsSettingsCreate[]
}

const EVERY_TYPE: Definition = { fields: FIELDS, questions: QUESTIONS, properties: PROPERTIES, vectors: [] }

export interface FollowedDataset {
  ctx: Context
  owner: RequestContext
  annotators: RequestContext[]
  workspaceId: Id
  datasetId: Id
  /** Question ids by name. */
  questionIds: Map<string, Id>
}

/** A context with this database and an embedded engine on it. */
export const contextOn = (opened: TestContext, db: Database): TestContext => ({
  ...opened,
  db,
  search: createEmbeddedEngine({ db, bytesMax: opened.config.searchMemoryBytes }),
})

/** Creates a dataset with every type of field, question and metadata property, unless another definition is given. */
export async function createFollowedDataset(ctx: Context, definition = EVERY_TYPE): Promise<FollowedDataset> {
  const workspaceId = await addWorkspace(ctx)
  const owner = await actAs(ctx, 'owner')
  const annotators = [await actAs(ctx, 'annotator', [workspaceId]), await actAs(ctx, 'annotator', [workspaceId])]
  const { id } = await createDataset(owner, { name: 'followed', workspace_id: workspaceId })
  for (const field of definition.fields) await createField(owner, id, field)
  const questionIds = new Map<string, Id>()
  for (const question of definition.questions) questionIds.set(question.name, (await createQuestion(owner, id, question)).id)
  for (const property of definition.properties) await createMetadataProperty(owner, id, property)
  for (const vectors of definition.vectors) await createVectorsSettings(owner, id, vectors)
  await publishDataset(owner, id)
  return { ctx, owner, annotators, workspaceId, datasetId: id, questionIds }
}

export async function settingsOf(db: Queryable, datasetId: Id): Promise<DatasetSettings> {
  return (await loadWithSettings(db, datasetId)).settings
}

export async function loadWithSettings(
  db: Queryable,
  datasetId: Id,
): Promise<{ dataset: StoredDataset; settings: DatasetSettings }> {
  const dataset = await loadDataset(db, datasetId)
  return { dataset, settings: await loadDatasetSettings(db, dataset) }
}
