import type { SearchQuery } from '@postil/domain/search/query'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../storage/database.ts'

export interface SearchHit {
  recordNo: number
  /** Null when the order is not by score. */
  score: number | null
}

export interface SearchHits {
  hits: SearchHit[]
  total: number
}

/** The text of one record as the index keeps it: pieces by field name. */
export interface TextDocument {
  recordNo: number
  /** For each searchable field in the order of `SearchableField`s: its pieces, or null when the record has none. */
  pieces: (string[] | null)[]
}

/**
 * A search index per dataset. It may be lost and rebuilt at any time: the database is the truth. The embedded one lives
 * inside the database and is written in the caller's transaction, so it cannot drift.
 */
export interface SearchEngine {
  info(): Promise<Record<string, unknown>>
  /** Creates the index of a dataset that is being published. */
  prepare(db: Queryable, datasetId: Id, textFields: number): Promise<void>
  drop(db: Queryable, datasetId: Id): Promise<void>
  /** Writes or replaces the texts of records. */
  put(db: Queryable, datasetId: Id, documents: TextDocument[], options: { replace: boolean }): Promise<void>
  remove(db: Queryable, datasetId: Id, recordNos: number[]): Promise<void>
  search(db: Queryable, datasetId: Id, query: SearchQuery): Promise<SearchHits>
}
