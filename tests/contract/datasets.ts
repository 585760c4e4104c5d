/** Test datasets and records: published, with every type of field and question by default. */
import type { Dataset } from '@postil/domain/datasets'
import type { Field, FieldCreate } from '@postil/domain/fields'
import type { MetadataProperty, MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { Question, QuestionCreate } from '@postil/domain/questions'
import type { DatasetRecord, RecordsBulk } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { VectorsSettings, VectorsSettingsCreate } from '@postil/domain/vectors'
import { fresh, type World } from './http.ts'

export const TEXT_FIELD: FieldCreate = { name: 'text', title: 'Text', required: true, settings: { type: 'text' } }
export const ALL_FIELDS: FieldCreate[] = [
  TEXT_FIELD,
  { name: 'picture', title: 'Picture', settings: { type: 'image' } },
  { name: 'talk', title: 'Talk', settings: { type: 'chat' } },
  { name: 'page', title: 'Page', settings: { type: 'custom', template: '<p>' } },
  { name: 'note', title: 'Note', settings: { type: 'text' } },
]

export const toOptions = (values: string[]) => values.map(value => ({ value, text: value.toUpperCase() }))
export const LABEL_QUESTION: QuestionCreate = {
  name: 'mood',
  title: 'Mood',
  required: true,
  settings: { type: 'label_selection', options: toOptions(['happy', 'sad', 'calm']) },
}
export const SPAN_QUESTION: QuestionCreate = {
  name: 'spots',
  title: 'Spots',
  settings: { type: 'span', field: 'text', options: toOptions(['person', 'place']) },
}
export const ALL_QUESTIONS: QuestionCreate[] = [
  LABEL_QUESTION,
  {
    name: 'topics',
    title: 'Topics',
    settings: { type: 'multi_label_selection', options: toOptions(['food', 'drink', 'sport', 'art']) },
  },
  { name: 'quality', title: 'Quality', settings: { type: 'rating', options: [1, 2, 3, 4, 5].map(value => ({ value })) } },
  { name: 'order', title: 'Order', settings: { type: 'ranking', options: toOptions(['a', 'b', 'c']) } },
  SPAN_QUESTION,
  { name: 'comment', title: 'Comment', settings: { type: 'text' } },
]

export const ALL_PROPERTIES: MetadataPropertyCreate[] = [
  { name: 'source', title: 'Source', settings: { type: 'terms', values: ['web', 'mail', 'book'] } },
  { name: 'length', title: 'Length', settings: { type: 'integer', min: 0, max: 100 } },
  { name: 'weight', title: 'Weight', settings: { type: 'float' } },
  { name: 'hidden', title: 'Hidden', settings: { type: 'terms' }, visible_for_annotators: false },
]

export const ALL_VECTORS: VectorsSettingsCreate[] = [
  { name: 'embed', title: 'Embed', dimensions: 3 },
  { name: 'other', title: 'Other', dimensions: 2 },
]

export interface DatasetOptions {
  workspace_id?: Id
  fields?: FieldCreate[]
  questions?: QuestionCreate[]
  properties?: MetadataPropertyCreate[]
  vectors?: VectorsSettingsCreate[]
  publish?: boolean
  min_submitted?: number
  allow_extra_metadata?: boolean
}

/** One text field and one required label question. */
export const SMALL: DatasetOptions = { fields: [TEXT_FIELD], questions: [LABEL_QUESTION], properties: [], vectors: [] }
export const SMALL_DRAFT: DatasetOptions = { ...SMALL, publish: false }

export interface BuiltDataset {
  id: Id
  path: string
  dataset: Dataset
  fields: Record<string, Field>
  questions: Record<string, Question>
  properties: Record<string, MetadataProperty>
  vectors: Record<string, VectorsSettings>
}

export async function aDataset({ owner, workspaceId }: World, options: DatasetOptions = {}): Promise<BuiltDataset> {
  const { min_submitted = 1, allow_extra_metadata = true, workspace_id = workspaceId } = options
  const distribution = { strategy: 'overlap', min_submitted }
  const created = { name: fresh('dataset'), workspace_id, allow_extra_metadata, distribution }
  const dataset = await owner.done<Dataset>('POST /datasets', created)
  const path = `/datasets/${dataset.id}`
  const add = async <T extends { name: string }>(kind: string, bodies: object[]): Promise<Record<string, T>> => {
    const made: [string, T][] = []
    for (const body of bodies) {
      const item = await owner.done<T>(`POST ${path}/${kind}`, body)
      made.push([item.name, item])
    }
    return Object.fromEntries(made)
  }
  return {
    id: dataset.id,
    path,
    fields: await add<Field>('fields', options.fields ?? ALL_FIELDS),
    questions: await add<Question>('questions', options.questions ?? ALL_QUESTIONS),
    properties: await add<MetadataProperty>('metadata-properties', options.properties ?? ALL_PROPERTIES),
    vectors: await add<VectorsSettings>('vectors-settings', options.vectors ?? ALL_VECTORS),
    dataset: options.publish === false ? dataset : await owner.done<Dataset>(`PUT ${path}/publish`),
  }
}

/** Returns the part with this name, which must exist. */
export function named<T>(parts: Record<string, T>, name: string): T {
  const part = parts[name]
  if (part === undefined) throw new Error(`the dataset has no ${name}`)
  return part
}

export const idOf = (parts: Record<string, { id: Id }>, name: string): Id => named(parts, name).id

export async function addRecords({ owner }: World, dataset: BuiltDataset, items: object[]): Promise<DatasetRecord[]> {
  return (await owner.done<RecordsBulk>(`POST ${dataset.path}/records/bulk`, { items })).items
}

export async function aRecord(world: World, dataset: BuiltDataset, item: object = {}): Promise<DatasetRecord> {
  return first(await addRecords(world, dataset, [{ fields: { text: 'A green apple' }, ...item }]))
}

export const readRecord = ({ owner }: World, id: Id) => owner.done<DatasetRecord>(`GET /records/${id}`)
export const readDataset = ({ owner }: World, { path }: BuiltDataset) => owner.done<Dataset>(`GET ${path}`)

export function first<T>(list: readonly T[] | undefined): T {
  const item = list?.[0]
  if (item === undefined) throw new Error('the list is empty')
  return item
}

/** Answers to every required question of these datasets. */
export const submitted = (value = 'happy') => ({ status: 'submitted', values: { mood: { value } } })
export const draft = (value = 'happy') => ({ status: 'draft', values: { mood: { value } } })
