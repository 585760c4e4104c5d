import type { Id } from '@postil/domain/schema'
import type { CountQuery, Counts } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { Context } from '../context.ts'
import type { DatasetSettings } from '../features/datasets/settings.ts'
import type { Queryable } from '../storage/database.ts'

export interface SearchHit {
  recordNo: number
  /** Null if the order is not by score. */
  score: number | null
}

export interface SearchHits {
  hits: SearchHit[]
  total: number
}

/**
 * Cache of record parts that callers have read, valid for one change number of the dataset. A change to the records invalidates
 * it.
 */
export interface CachedRecords {
  /** Returns undefined if the part is not cached. */
  get(recordNo: number, part: string): unknown
  /** Caches a part. It must come from a database view that shows this change number, and must not be modified afterwards. */
  put(recordNo: number, part: string, value: unknown, bytes: number): void
  /** Reports whether a whole page was served from the cache. */
  noteComplete(isComplete: boolean): void
  /** True if the next page will probably also be served from the cache. */
  isWarm(): boolean
}

/** The indexed text of one record: pieces by field. */
export interface TextDocument {
  recordNo: number
  /** For each searchable field, in the order of the `SearchableField`s: its pieces, or null if the record has none. */
  pieces: (string[] | null)[]
}

/** The properties of a dataset that an engine needs to search it. */
export interface SearchedDataset {
  id: Id
  /** False for drafts. They have no index, so searches in them find nothing. */
  published: boolean
  /** Names of the fields whose text is indexed, in the order of the index. */
  textFields: string[]
  /** The newest entry of the dataset's log that the request has seen. Results include it, and may include newer entries. */
  changeNo: number
}

/** The properties of a dataset that an engine needs to build its index. */
export interface IndexedDataset extends SearchedDataset {
  settings: DatasetSettings
}

/** Callback that receives the number of processed records from time to time. */
export type Progress = (done: number) => void

export interface Verification {
  /** Number of compared records. */
  records: number
  /** One sentence for each difference; empty if the index equals the records. */
  differences: string[]
}

/** An index whose dataset is not in the database. */
export interface Leftover {
  index: string
  /** True if the index was created for this database. Other indexes are never deleted. */
  isOurs: boolean
}

/**
 * Maintains an index for each dataset by following the dataset's log. An index can be lost and rebuilt at any time: the database
 * is the source of truth.
 */
export interface SearchEngine {
  /** True if the engine is called over a network. Callers should then not hold a database snapshot during the call. */
  isRemote: boolean
  info(): Promise<Record<string, unknown>>
  /** Throws `unavailable` if the engine does not reach the dataset's change number in time. */
  search(dataset: SearchedDataset, query: SearchQuery): Promise<SearchHits>
  /**
   * Returns the cache of record parts of this thread, or null if it is not at this change number. Only present if the engine
   * follows the records in memory.
   */
  cachedRecords?(datasetId: Id, changeNo: number): CachedRecords | null
  /** Counts records by queue and by value. All counts of a draft are 0. */
  count(dataset: SearchedDataset, query: CountQuery): Promise<Counts>
  /**
   * Rebuilds the index from the records and returns their number. Searches stay correct during the rebuild. An interrupted
   * rebuild leaves them unchanged and can be started again.
   */
  reindex(ctx: Context, dataset: IndexedDataset, progress: Progress): Promise<number>
  /** Compares the index with the records of a snapshot. The dataset must have been read in the same snapshot. */
  verify(snapshot: Queryable, dataset: IndexedDataset, progress: Progress): Promise<Verification>
  /** Removes the stored index of a deleted dataset. Large indexes are removed in batches: call it until it returns true. */
  drop(db: Queryable, datasetId: Id): Promise<boolean>
  /** Returns indexes of datasets whose deletion the engine missed. */
  findLeftovers(): Promise<Leftover[]>
  /** Deletes leftover indexes that belong to this database, and returns their names. */
  removeLeftovers(): Promise<string[]>
  /** Closes the engine's own connections, but not those of the database. */
  close(): Promise<void>
}
