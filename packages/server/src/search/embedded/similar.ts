/** Finds the records nearest to a vector among those that match the text and the filters. */
import type { Id } from '@postil/domain/schema'
import type { SearchQuery } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchHits } from '../engine.ts'
import type { DatasetIndex } from '../index/dataset-index.ts'
import { createVectorIndex, type NearestRequest } from './vectors/vector-index.ts'

const NEAREST_MAX = 1000
/**
 * Up to this number, all candidates are compared with the vector. If there are more, the nearest vectors are checked for a match
 * instead.
 */
const CANDIDATES_MAX = 2000

type Similar = NonNullable<SearchQuery['similar']>

interface SimilarSearchContext {
  db: Queryable
  index: DatasetIndex
  /** Change number of the dataset in `db`. */
  changeNo: number
}

interface SpaceSettings {
  no: number
  dimensions: number
}

export interface SimilarSearch {
  /**
   * True if all vectors for a search at this change number are in memory. Only the stored values of the nearest ones are then
   * read.
   */
  isReady(similar: Similar, changeNo: number): boolean
  search(searched: SimilarSearchContext, query: SearchQuery, similar: Similar): Promise<SearchHits>
}

/** Maximum number of cached vectors settings. */
const KNOWN_MAX = 1_000

export function createSimilarSearch(): SimilarSearch {
  const vectors = createVectorIndex()
  /** Settings by id. They never change. */
  const known = new Map<Id, SpaceSettings>()
  const findSettings = async (db: Queryable, id: Id): Promise<SpaceSettings | undefined> => {
    const kept = known.get(id)
    if (kept) return kept
    const settings = await db.sql.get<SpaceSettings>('select no, dimensions from vectors_settings where id = ?', [id])
    if (known.size >= KNOWN_MAX) known.clear()
    if (settings) known.set(id, settings)
    return settings
  }
  return {
    isReady: ({ vectorSettingsId }, changeNo) => {
      const settings = known.get(vectorSettingsId)
      return settings !== undefined && vectors.isAt(settings.no, changeNo)
    },
    search: async ({ db, index, changeNo }, query, similar) => {
      if (query.offset >= NEAREST_MAX) return { hits: [], total: 0 }
      const settings = await findSettings(db, similar.vectorSettingsId)
      if (settings === undefined) return { hits: [], total: 0 }
      const hits = await vectors.nearest(db, {
        settingsNo: settings.no,
        dimensions: settings.dimensions,
        changeNo,
        vector: similar.value,
        order: similar.order,
        k: Math.min(query.offset + query.limit, NEAREST_MAX),
        excludeRecordNo: await findRecordNo(db, similar.excludeRecordId),
        ...toRestriction(index, query),
      })
      return { hits: hits.slice(query.offset, query.offset + query.limit), total: hits.length }
    },
  }
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
