/** The records nearest to a vector, among those that match everything else. */
import type { SearchQuery } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchHits } from '../engine.ts'
import type { DatasetIndex } from '../index/dataset-index.ts'
import type { NearestRequest, VectorIndex } from './vectors/vector-index.ts'

const NEAREST_MAX = 1000
/** Up to so many candidates are compared one by one; of more, the nearest are asked whether they match. */
const CANDIDATES_MAX = 2000

type Similar = NonNullable<SearchQuery['similar']>

interface Searched {
  db: Queryable
  index: DatasetIndex
  vectors: VectorIndex
}

export async function searchSimilar({ db, index, vectors }: Searched, query: SearchQuery, similar: Similar): Promise<SearchHits> {
  if (query.offset >= NEAREST_MAX) return { hits: [], total: 0 }
  const settings = await db.sql.get<{ no: number; dimensions: number }>(
    'select no, dimensions from vectors_settings where id = ?',
    [similar.vectorSettingsId],
  )
  if (settings === undefined) return { hits: [], total: 0 }
  const hits = await vectors.nearest(db, {
    settingsNo: settings.no,
    dimensions: settings.dimensions,
    vector: similar.value,
    order: similar.order,
    k: Math.min(query.offset + query.limit, NEAREST_MAX),
    excludeRecordNo: await findRecordNo(db, similar.excludeRecordId),
    ...toRestriction(index, query),
  })
  return { hits: hits.slice(query.offset, query.offset + query.limit), total: hits.length }
}

async function findRecordNo(db: Queryable, recordId: string | null): Promise<number | null> {
  if (recordId === null) return null
  return (await db.sql.get<{ no: number }>('select no from records where id = ?', [recordId]))?.no ?? null
}

function toRestriction(index: DatasetIndex, query: SearchQuery): Pick<NearestRequest, 'only' | 'keep'> {
  if (query.text === null && query.filters.length === 0) return { only: null, keep: null }
  const matches = index.matches(query)
  if (matches.count() <= CANDIDATES_MAX) return { only: index.recordNosOf(matches), keep: null }
  return { only: null, keep: async recordNos => index.keepRecords(recordNos, matches) }
}
