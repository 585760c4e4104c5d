/** An empty search and an empty document, to be spread into others in tests. */
import type { SearchDocument } from '../search/document.ts'
import type { SearchQuery } from '../search/query.ts'

export const PLAIN_QUERY: SearchQuery = {
  text: null,
  similar: null,
  filters: [],
  sort: [],
  userId: null,
  shuffleFor: null,
  offset: 0,
  limit: 50,
}

export const plainDocument = (id: string): SearchDocument => ({
  id,
  external_id: null,
  status: 'pending',
  inserted_at: '2026-11-15T03:19:37.000000',
  updated_at: '2026-11-15T03:19:37.000000',
  text: new Map(),
  metadata: new Map(),
  suggestions: new Map(),
  responses: [],
  flags: [],
  vectors: new Map(),
})
