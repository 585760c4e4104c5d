/** The search engine inside the server: an index of each dataset in memory (indexes.ts), and the vectors (vectors/). */
import { NO_COUNTS, toEmptyCount } from '@postil/domain/search/counts'
import SqliteDatabase from 'better-sqlite3'
import type { SearchEngine } from '../engine.ts'
import { type IndexesOptions, openIndexes } from './indexes.ts'
import { drop, reindex, verify } from './rebuild.ts'
import { searchSimilar } from './similar.ts'
import { openVectorIndex } from './vectors/vector-index.ts'

export function openEmbeddedEngine(options: IndexesOptions): SearchEngine {
  const indexes = openIndexes(options)
  const vectors = openVectorIndex()
  return {
    info: async () => ({ engine: 'embedded', sqlite: findSqliteVersion() }),
    search: async (dataset, query) => {
      if (!dataset.published) return { hits: [], total: 0 }
      const { similar } = query
      return indexes.use(dataset, query, (index, db) =>
        similar === null ? index.search(query) : searchSimilar({ db, index, vectors }, query, similar),
      )
    },
    count: async (dataset, query) => {
      if (!dataset.published) return { total: 0, by_status: NO_COUNTS, targets: query.targets.map(toEmptyCount) }
      return indexes.use(dataset, query, index => index.count(query))
    },
    reindex,
    verify,
    drop,
    close: async () => {},
  }
}

/** The library is the same for every file, so an empty one can be asked. */
function findSqliteVersion(): unknown {
  const db = new SqliteDatabase(':memory:')
  const version = db.prepare('select sqlite_version()').pluck().get()
  db.close()
  return version
}
