/** Reads the data that an external index needs: the settings of a dataset, and documents with their vectors. */
import type { Id } from '@postil/domain/schema'
import type { SearchDocument } from '@postil/domain/search/document'
import { type DatasetSettings, loadDatasetSettings } from '../../features/datasets/settings.ts'
import { findDataset } from '../../features/datasets/store.ts'
import { listVectorsOf } from '../../features/vectors/store.ts'
import type { Queryable } from '../../storage/database.ts'
import { type ReadDocumentsResult, readDocuments } from './read-documents.ts'

export interface DatasetState {
  changeNo: number
  published: boolean
  settings: DatasetSettings
}

/** Returns null if the dataset was deleted. */
export async function findDatasetState(db: Queryable, datasetId: Id): Promise<DatasetState | null> {
  const dataset = await findDataset(db, datasetId)
  if (!dataset) return null
  const settings = await loadDatasetSettings(db, dataset)
  return { changeNo: dataset.change_no, published: dataset.status === 'ready', settings }
}

export async function readDocumentsWithVectors(
  db: Queryable,
  settings: DatasetSettings,
  recordNos: readonly number[],
): Promise<ReadDocumentsResult> {
  const read = await readDocuments(db, settings, recordNos)
  await addVectors(db, settings, read.documents)
  return read
}

async function addVectors(
  db: Queryable,
  { vectorsSettings }: DatasetSettings,
  documents: ReadonlyMap<number, SearchDocument>,
): Promise<void> {
  const ids = new Map(vectorsSettings.map(({ no, id }) => [no, id]))
  for (const { record_no, vectors_settings_no, value } of await listVectorsOf(db, [...documents.keys()], [...ids.keys()])) {
    const id = ids.get(vectors_settings_no)
    if (id !== undefined) documents.get(record_no)?.vectors.set(id, [...value])
  }
}
