/**
 * The settings that records of a dataset must satisfy, cached in memory per thread. `settings_version` is stored in the dataset's
 * row and grows with every change, so the cache cannot be stale, regardless of the number of threads or processes.
 */
import type { Field } from '@postil/domain/fields'
import { toWholeFloats } from '@postil/domain/metadata/whole-floats'
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

/** Adds the numeric key used in the database. */
export type Numbered<T> = T & { no: number }

/** Maps database numbers to ids and names of the API. */
export interface WireNames {
  questionIds: ReadonlyMap<number, Id>
  vectorNames: ReadonlyMap<number, string>
  /** Matches whole numbers of float metadata properties in stored JSON; null if there are no such properties. */
  wholeFloats: RegExp | null
}

export interface DatasetSettings {
  fields: Field[]
  /** Fields whose text is indexed, in index order. */
  textFields: Field[]
  questions: Numbered<Question>[]
  metadataProperties: Numbered<MetadataProperty>[]
  vectorsSettings: Numbered<VectorsSettings>[]
  rules: RecordRules
  /** Settings for search documents. */
  documents: DocumentSettings
  /**
   * Numbers by id of questions and metadata properties and by name of vectors settings, and the reverse for responses of the API.
   */
  questionNos: ReadonlyMap<Id, number>
  propertyNos: ReadonlyMap<Id, number>
  vectorNos: ReadonlyMap<string, number>
  names: WireNames
}

interface CachedSettings {
  stamp: string
  settings: DatasetSettings
}

/** Identifies a version of the settings. Values derived from settings with the same stamp are still valid. */
export const settingsStampOf = ({ settings_version, allow_extra_metadata }: StoredDataset): string =>
  `${settings_version}${allow_extra_metadata ? ' with extra metadata' : ''}`

export async function loadDatasetSettings(db: Queryable, dataset: StoredDataset): Promise<DatasetSettings> {
  const stamp = settingsStampOf(dataset)
  const known = db.cache.get(dataset.id) as CachedSettings | undefined
  if (known?.stamp === stamp) return known.settings
  const settings = await readDatasetSettings(db, dataset)
  db.cache.set(dataset.id, { stamp, settings } satisfies CachedSettings)
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
      wholeFloats: toWholeFloats(metadataProperties),
    },
  }
}

/** Returns the properties of a dataset that the search engine needs. */
export function toSearchedDataset(dataset: StoredDataset, settings: DatasetSettings): SearchedDataset {
  return {
    id: dataset.id,
    published: dataset.status === 'ready',
    textFields: settings.textFields.map(field => field.name),
    changeNo: dataset.change_no,
  }
}
