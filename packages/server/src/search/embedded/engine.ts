/** The search engine inside the server: an in-memory index for each dataset (indexes.ts), and the vectors (vectors/). */
import { NO_COUNTS, toEmptyCount } from '@postil/domain/search/counts'
import SqliteDatabase from 'better-sqlite3'
import type { SearchEngine } from '../engine.ts'
import { createIndexes, type IndexesOptions } from './indexes.ts'
import { drop, reindex, verify } from './rebuild.ts'
import { createSimilarSearch } from './similar.ts'

export function createEmbeddedEngine(options: IndexesOptions): SearchEngine {
  const indexes = createIndexes(options)
  const similarSearch = createSimilarSearch()
  return {
    isRemote: false,
    info: async () => ({ engine: 'embedded', sqlite: findSqliteVersion() }),
    search: async (dataset, query) => {
      if (!dataset.published) return { hits: [], total: 0 }
      const { similar } = query
      if (similar === null) return indexes.use(dataset, query, index => index.search(query))
      return indexes.use(
        dataset,
        query,
        (index, db, changeNo) => similarSearch.search({ db, index, changeNo }, query, similar),
        changeNo => similarSearch.isReady(similar, changeNo),
      )
    },
    cachedRecords: indexes.known,
    count: async (dataset, query) => {
      if (!dataset.published) return { total: 0, by_status: NO_COUNTS, targets: query.targets.map(toEmptyCount) }
      return indexes.use(dataset, query, index => index.count(query))
    },
    reindex,
    verify,
    drop,
    // Segments are rows of the database, which are removed when their dataset is deleted.
    findLeftovers: async () => [],
    removeLeftovers: async () => [],
    close: async () => {},
  }
}

/** The library version is the same for every database, so an empty in-memory one is used. */
function findSqliteVersion(): unknown {
  const db = new SqliteDatabase(':memory:')
  const version = db.prepare('select sqlite_version()').pluck().get()
  db.close()
  return version
}
