/**
 * Everything a dataset demands of its records, kept in memory per thread. `settings_version` stands in the dataset's own
 * row and grows with every change, so what is kept can never be stale, in however many threads or processes.
 */
import type { Field } from '@postil/domain/fields'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Question } from '@postil/domain/questions'
import { prepareRecordRules, type RecordRules } from '@postil/domain/record-rules'
import type { Id } from '@postil/domain/schema'
import { type DocumentSettings, toDocumentSettings } from '@postil/domain/search/document'
import type { VectorsSettings } from '@postil/domain/vectors'
import type { SearchedDataset } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import { listFields } from '../fields/store.ts'
import { listMetadataProperties } from '../metadata-properties/store.ts'
import { listQuestions } from '../questions/store.ts'
import { listVectorsSettings } from '../vectors-settings/store.ts'
import type { StoredDataset } from './store.ts'

/** With the number the database knows it by. */
export type Numbered<T> = T & { no: number }

/** From the database's numbers to what the API calls things. */
export interface WireNames {
  questionIds: ReadonlyMap<number, Id>
  vectorNames: ReadonlyMap<number, string>
}

export interface DatasetSettings {
  fields: Field[]
  /** The fields whose text is indexed, in the order of the index. */
  textFields: Field[]
  questions: Numbered<Question>[]
  metadataProperties: Numbered<MetadataProperty>[]
  vectorsSettings: Numbered<VectorsSettings>[]
  rules: RecordRules
  /** For the documents that search knows. */
  documents: DocumentSettings
  /** Numbers of questions and metadata properties by id, of vectors settings by name; and the other way for answers. */
  questionNos: ReadonlyMap<Id, number>
  propertyNos: ReadonlyMap<Id, number>
  vectorNos: ReadonlyMap<string, number>
  names: WireNames
}

interface KeptSettings {
  stamp: string
  settings: DatasetSettings
}

/** Says which settings a dataset has: what was worked out from settings with the same stamp still holds. */
export const settingsStampOf = ({ settings_version, allow_extra_metadata }: StoredDataset): string =>
  `${settings_version}${allow_extra_metadata ? ' with extra metadata' : ''}`

export async function loadDatasetSettings(db: Queryable, dataset: StoredDataset): Promise<DatasetSettings> {
  const stamp = settingsStampOf(dataset)
  const known = db.kept.get(dataset.id) as KeptSettings | undefined
  if (known?.stamp === stamp) return known.settings
  const settings = await readDatasetSettings(db, dataset)
  db.kept.set(dataset.id, { stamp, settings } satisfies KeptSettings)
  return settings
}

async function readDatasetSettings(db: Queryable, dataset: StoredDataset): Promise<DatasetSettings> {
  const fields = await listFields(db, dataset.id)
  const questions = await listQuestions(db, dataset.id)
  const metadataProperties = await listMetadataProperties(db, dataset.id)
  const vectorsSettings = await listVectorsSettings(db, dataset.id)
  const rules = prepareRecordRules({
    fields,
    questions,
    metadataProperties,
    vectorsSettings,
    allowExtraMetadata: dataset.allow_extra_metadata,
  })
  const textFields = fields.filter(field => rules.fields.get(field.name)?.type.searchable)
  return {
    fields,
    textFields,
    questions,
    metadataProperties,
    vectorsSettings,
    rules,
    documents: toDocumentSettings({ fields, metadataProperties, questions }),
    propertyNos: new Map(metadataProperties.map(property => [property.id, property.no])),
    questionNos: new Map(questions.map(question => [question.id, question.no])),
    vectorNos: new Map(vectorsSettings.map(vectors => [vectors.name, vectors.no])),
    names: {
      questionIds: new Map(questions.map(question => [question.no, question.id])),
      vectorNames: new Map(vectorsSettings.map(vectors => [vectors.no, vectors.name])),
    },
  }
}

/** What the search engine must know of a dataset. */
export function toSearched(dataset: StoredDataset, settings: DatasetSettings): SearchedDataset {
  return {
    id: dataset.id,
    published: dataset.status === 'ready',
    textFields: settings.textFields.map(field => field.name),
    changeNo: dataset.change_no,
  }
}
