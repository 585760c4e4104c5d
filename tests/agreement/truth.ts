/** The contents of the dataset, read as records through the API without the search engine. */
import type { Field } from '@postil/domain/fields'
import { metadataTypeOf } from '@postil/domain/metadata/registry'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Question } from '@postil/domain/questions'
import { questionTypeOf } from '@postil/domain/questions/registry'
import type { DatasetRecord } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import { type SearchDocument, toDocument, toDocumentSettings } from '@postil/domain/search/document'
import type { SearchDataset } from '@postil/domain/search/targets'
import type { VectorsSettings } from '@postil/domain/vectors'
import { type ComparedDataset, listAll } from './dataset.ts'

export interface Truth {
  dataset: SearchDataset
  questions: Question[]
  properties: MetadataProperty[]
  records: DatasetRecord[]
  /** In the order in which the records were created, which is the same in every run. */
  documents: SearchDocument[]
}

export async function readTruth(compared: ComparedDataset): Promise<Truth> {
  const { datasetId, people } = compared
  const list = async <T>(path: string) => (await people.owner.done<{ items: T[] }>(`GET ${path}`)).items
  const fields = await list<Field>(`/datasets/${datasetId}/fields`)
  const questions = await list<Question>(`/datasets/${datasetId}/questions`)
  const properties = await list<MetadataProperty>(`/me/datasets/${datasetId}/metadata-properties`)
  const vectors = await list<VectorsSettings>(`/datasets/${datasetId}/vectors-settings`)
  const records = await listAll(compared, '&include=responses&include=suggestions&include=vectors')
  const flags = await listFlags(compared)
  const settings = toDocumentSettings({ fields, questions, metadataProperties: properties })
  return {
    dataset: {
      fields,
      questions: questions.map(({ id, name, settings }) => ({ id, name, searchAs: questionTypeOf(settings).searchAs })),
      metadata_properties: properties.map(property => ({ ...property, searchAs: metadataTypeOf(property.settings).searchAs })),
      vectors_settings: vectors,
    },
    questions,
    properties,
    records,
    documents: records.map(({ suggestions = [], responses = [], vectors: given = {}, ...record }) =>
      toDocument(
        {
          ...record,
          suggestions,
          responses,
          flags: flags.get(record.id) ?? [],
          vectors: new Map(vectors.flatMap(({ id, name }) => (given[name] === undefined ? [] : [[id, given[name]]]))),
        },
        settings,
      ),
    ),
  }
}

/** Returns the users who flagged each record. */
async function listFlags({ datasetId, people }: ComparedDataset): Promise<Map<Id, Id[]>> {
  const flags = new Map<Id, Id[]>()
  for (const person of Object.values(people)) {
    const { items } = await person.done<{ items: { record_id: Id }[] }>(`GET /me/datasets/${datasetId}/flags`)
    for (const { record_id } of items) flags.set(record_id, [...(flags.get(record_id) ?? []), person.id])
  }
  return flags
}
