/**
 * The search engine inside the database. It keeps only what SQL does not have already, the texts (text-index.ts) and the
 * vectors in memory (vectors/); everything else is read from the tables, so a submitted response costs it nothing.
 */
import type { SearchQuery } from '@postil/domain/search/query'
import SqliteDatabase from 'better-sqlite3'
import type { Queryable } from '../../storage/database.ts'
import type { SearchEngine, SearchedDataset, SearchHit, SearchHits } from '../engine.ts'
import { countMatching } from './counts.ts'
import { listShuffled, listSorted, listSortedFew } from './order.ts'
import { countMatches, type Plan, toPlan } from './plan.ts'
import { isUnscored, listByRelevance } from './score.ts'
import { searchSimilar } from './similar.ts'
import { createTextIndex, dropTextIndex, mergeTexts, putTexts, removeTexts, textTableOf } from './text-index.ts'
import { openVectorIndex, type VectorIndex } from './vectors/vector-index.ts'
import { verifyTexts } from './verify.ts'

/** Up to so many candidates are sorted and counted in one go. */
const FEW_MAX = 10_000

export function openEmbeddedEngine(): SearchEngine {
  const vectors = openVectorIndex()
  /** Text indexes that were written and are not merged yet. */
  const untidy = new Set<string>()
  return {
    info: async () => ({ engine: 'embedded', sqlite: findSqliteVersion() }),
    prepare: createTextIndex,
    drop: (db, datasetId) => {
      untidy.delete(textTableOf(datasetId))
      return dropTextIndex(db, datasetId)
    },
    put: (db, datasetId, documents, options) => {
      untidy.add(textTableOf(datasetId))
      return putTexts(db, datasetId, documents, options)
    },
    remove: removeTexts,
    tidy: db => tidy(db, untidy),
    search: (db, dataset, query) => search(db, dataset, query, vectors),
    count: countMatching,
    verify: verifyTexts,
  }
}

/** The library is the same for every file, so an empty one can be asked. */
function findSqliteVersion(): unknown {
  const db = new SqliteDatabase(':memory:')
  const version = db.prepare('select sqlite_version()').pluck().get()
  db.close()
  return version
}

async function tidy(db: Queryable, untidy: Set<string>): Promise<boolean> {
  const [table] = untidy
  if (table === undefined) return false
  if (!(await mergeTexts(db, table))) untidy.delete(table)
  return true
}

async function search(db: Queryable, dataset: SearchedDataset, query: SearchQuery, vectors: VectorIndex): Promise<SearchHits> {
  if (!dataset.published) return { hits: [], total: 0 }
  if (query.similar !== null) return searchSimilar(db, dataset, query, query.similar, vectors)
  const plan = await toPlan(db, dataset, query)
  if (plan === null) return { hits: [], total: 0 }
  if (query.sort.length > 0 && plan.driverSize > 0 && plan.driverSize <= FEW_MAX) {
    const { nos, total } = await listSortedFew(plan, query.sort, query)
    // A page behind the last match does not know how many there are.
    if (nos.length > 0) return { hits: nos.map(recordNo => ({ recordNo, score: null })), total }
  }
  const total = await countMatches(plan)
  return { hits: query.offset >= total ? [] : await listHits(plan, total), total }
}

async function listHits(plan: Plan, total: number): Promise<SearchHit[]> {
  const { query, text } = plan
  const page = { offset: query.offset, limit: query.limit }
  const withScore = (nos: number[], score: number | null) => nos.map(recordNo => ({ recordNo, score }))
  if (query.sort.length > 0) return withScore(await listSorted(plan, query.sort, page, total), null)
  if (query.shuffleFor !== null) return listShuffled(plan, query.shuffleFor, page, total)
  if (text === null || isUnscored(text)) return withScore(await listSorted(plan, [], page, total), 1)
  return listByRelevance(plan, text, page, total)
}
