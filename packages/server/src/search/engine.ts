import type { Id } from '@postil/domain/schema'
import type { CountQuery, Counts } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { Context } from '../context.ts'
import type { DatasetSettings } from '../features/datasets/settings.ts'
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
  /** The newest entry of its log that the request has seen. The answer includes it, and may include newer ones. */
  changeNo: number
}

/** What an engine must know of a dataset to build its index. */
export interface IndexedDataset extends SearchedDataset {
  settings: DatasetSettings
}

/** Told from time to time how many records are done. */
export type Progress = (done: number) => void

export interface Verification {
  /** How many were compared. */
  records: number
  /** What differs, in sentences; empty if the index equals the records. */
  differences: string[]
}

/** An index for each dataset that follows its log. It can be lost and rebuilt at any time: the database is the source of truth. */
export interface SearchEngine {
  info(): Promise<Record<string, unknown>>
  /** Throws `unavailable` if the engine does not reach the dataset's change number in time. */
  search(dataset: SearchedDataset, query: SearchQuery): Promise<SearchHits>
  /** Records by queue and by value. Nothing in a draft, as for searches. */
  count(dataset: SearchedDataset, query: CountQuery): Promise<Counts>
  /**
   * Builds the index anew from the records, and returns how many there are. Searches are right meanwhile. If it is interrupted, they are as right as
   * before, and it can run again.
   */
  reindex(ctx: Context, dataset: IndexedDataset, progress: Progress): Promise<number>
  /** Compares the index with the records of a snapshot, in which the dataset was read. */
  verify(snapshot: Queryable, dataset: IndexedDataset, progress: Progress): Promise<Verification>
  /** Removes what is stored of a deleted dataset, or a part of that if it is much: until it answers true. */
  drop(db: Queryable, datasetId: Id): Promise<boolean>
  /** Ends connections of its own; not those of the database. */
  close(): Promise<void>
}
