import type { Id } from '@postil/domain/schema'
import type { CountQuery, Counts } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
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

/** What an engine must know of a dataset to search it. */
export interface SearchedDataset {
  id: Id
  /** False for drafts: they have no index, and nothing is found in them. */
  published: boolean
  /** Names of the fields whose text is indexed, in the order of the index. */
  textFields: string[]
  records_count: number
  completed_count: number
  /** How many submitted responses complete a record. */
  min_submitted: number
}

export interface IndexDifference {
  checked: number
  /** Records whose text the index lacks or holds otherwise. */
  wrong: number[]
  /** Entries of the index without a record. */
  surplus: number
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
  /** Does a little of what makes searches quicker, in its own transaction. False when there is nothing to do. */
  tidy(db: Queryable): Promise<boolean>
  search(db: Queryable, dataset: SearchedDataset, query: SearchQuery): Promise<SearchHits>
  /** Records by queue and by value. Nothing in a draft, as for searches. */
  count(db: Queryable, dataset: SearchedDataset, query: CountQuery): Promise<Counts>
  /** How far the index is from the records: for `verify`. */
  verify(db: Queryable, dataset: SearchedDataset, documents: AsyncIterable<TextDocument[]>): Promise<IndexDifference>
}
