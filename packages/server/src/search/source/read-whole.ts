/** What an index outside the server must know of a dataset, all at once: its settings, and documents with their vectors. */
import type { Id } from '@postil/domain/schema'
import type { SearchDocument } from '@postil/domain/search/document'
import { type DatasetSettings, loadDatasetSettings } from '../../features/datasets/settings.ts'
import { findDataset } from '../../features/datasets/store.ts'
import { listVectorsOf } from '../../features/vectors/store.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DocumentsRead, readDocuments } from './read-documents.ts'

export interface DatasetNow {
  changeNo: number
  published: boolean
  settings: DatasetSettings
}

/** Null if the dataset was deleted. */
export async function findDatasetNow(db: Queryable, datasetId: Id): Promise<DatasetNow | null> {
  const dataset = await findDataset(db, datasetId)
  if (!dataset) return null
  const settings = await loadDatasetSettings(db, dataset)
  return { changeNo: dataset.change_no, published: dataset.status === 'ready', settings }
}

export async function readWholeDocuments(
  db: Queryable,
  settings: DatasetSettings,
  recordNos: readonly number[],
): Promise<DocumentsRead> {
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
