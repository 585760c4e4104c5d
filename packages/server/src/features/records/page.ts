/** Reads the records of a page with their relations: from this thread's cache if possible, else from the database. */
import type { Include } from '@postil/domain/search/include'
import type { CachedRecords } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import type { ResponseRow } from '../responses/store.ts'
import type { SuggestionRow } from '../suggestions/store.ts'
import type { Relations } from './record-json.ts'
import { listShownRelations, type RecordView } from './show.ts'
import { listRecordsOf, type RecordRow } from './store.ts'

interface Page {
  /** In the order of the given numbers; numbers without a record are omitted. */
  rows: RecordRow[]
  relations: (row: { no: number }) => Relations
  /**
   * Adds the records read to the cache. Only call it if the view has the change number of the dataset that the caller expected.
   */
  keep(): void
}

/** Vectors are large and rarely requested, so requests with vectors do not use the cache. */
export const isCacheable = ({ vectors }: Include): boolean => vectors === false

export async function readPage(
  db: Queryable,
  nos: readonly number[],
  view: RecordView,
  known: CachedRecords | null,
): Promise<Page> {
  const keys = toCacheKeys(view)
  const inMemory = new Map<number, CachedRecord>()
  for (const no of known === null ? [] : nos) {
    const record = known && findCached(known, no, keys)
    if (record) inMemory.set(no, record)
  }
  const unknown = nos.filter(no => !inMemory.has(no))
  // Both statements are sent together.
  const [read, relations] = await Promise.all([
    listRecordsOf(db, view.dataset.id, unknown),
    listShownRelations(
      db,
      unknown.map(no => ({ no })),
      view,
    ),
  ])
  const byNo = new Map(read.map(row => [row.no, row]))
  return {
    rows: nos.flatMap(no => inMemory.get(no)?.row ?? byNo.get(no) ?? []),
    relations: row => inMemory.get(row.no)?.relations ?? relations(row),
    keep: () => {
      known?.noteComplete(unknown.length === 0)
      if (known) for (const row of read) cacheRecord(known, { row, relations: relations(row) }, keys)
    },
  }
}

interface CachedRecord {
  row: RecordRow
  relations: Relations
}

/** Cache keys of the requested parts. Viewers who see only their own responses have their own key. */
interface CacheKeys {
  responses: string | null
  suggestions: string | null
}

const toCacheKeys = ({ include, viewer }: RecordView): CacheKeys => ({
  responses: include.responses ? `responses ${viewer === null ? 'of all' : `of ${viewer.id}`}` : null,
  suggestions: include.suggestions ? 'suggestions' : null,
})

function findCached(known: CachedRecords, no: number, { responses, suggestions }: CacheKeys): CachedRecord | null {
  const row = known.get(no, 'record') as RecordRow | undefined
  const given = responses === null ? undefined : (known.get(no, responses) as ResponseRow[] | undefined)
  const suggested = suggestions === null ? undefined : (known.get(no, suggestions) as SuggestionRow[] | undefined)
  const isComplete = row && (responses === null || given) && (suggestions === null || suggested)
  return isComplete ? { row, relations: { responses: given, suggestions: suggested, vectors: undefined } } : null
}

function cacheRecord(known: CachedRecords, { row, relations }: CachedRecord, keys: CacheKeys): void {
  known.put(row.no, 'record', row, bytesOf(row))
  const { responses, suggestions } = relations
  if (keys.responses !== null && responses) known.put(row.no, keys.responses, responses, bytesOfAll(responses))
  if (keys.suggestions !== null && suggestions) known.put(row.no, keys.suggestions, suggestions, bytesOfAll(suggestions))
}

const ROW_BYTES = 200
const VALUE_BYTES = 32

/** Estimates memory with two bytes per character, which is an upper bound. */
function bytesOf(row: object): number {
  let bytes = ROW_BYTES
  for (const value of Object.values(row)) bytes += VALUE_BYTES + (typeof value === 'string' ? 2 * value.length : 0)
  return bytes
}

const bytesOfAll = (rows: readonly object[]): number => rows.reduce((sum, row) => sum + bytesOf(row), 0)
