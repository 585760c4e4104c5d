import type { Id } from '@postil/domain/schema'
import type { CountQuery, Counts } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'

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

/** An index for each dataset that follows its log. It can be lost and rebuilt at any time: the database is the source of truth. */
export interface SearchEngine {
  info(): Promise<Record<string, unknown>>
  /** Throws `unavailable` if the engine does not reach the dataset's change number in time. */
  search(dataset: SearchedDataset, query: SearchQuery): Promise<SearchHits>
  /** Records by queue and by value. Nothing in a draft, as for searches. */
  count(dataset: SearchedDataset, query: CountQuery): Promise<Counts>
}
