import type { Id } from '@postil/domain/schema'
import type { SearchOptions } from '@postil/domain/search/resolve'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { listVectorsOf } from '../vectors/store.ts'
import { listRecordsByIds } from './store.ts'

interface SearchContext {
  db: Queryable
  dataset: StoredDataset
  settings: DatasetSettings
}

/** Returns the vectors of the record for a similarity search, or null if there is none. */
export async function findSimilarRecord(
  { db, dataset, settings }: SearchContext,
  recordId: Id | null,
): Promise<NonNullable<SearchOptions['similarRecord']> | null> {
  if (recordId === null) return null
  const [row] = await listRecordsByIds(db, dataset.id, [recordId])
  if (!row) return null
  const ids = new Map(settings.vectorsSettings.map(vectors => [vectors.no, vectors.id]))
  const vectors = await listVectorsOf(db, [row.no], [...ids.keys()])
  return { vectors: new Map(vectors.map(vector => [ids.get(vector.vectors_settings_no) as string, vector.value])) }
}
