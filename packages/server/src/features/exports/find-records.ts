/** Finds the records that match the search of an export. Returns their numbers in search order and reads them in batches. */
import { checkAt, invalid } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import { RESULT_WINDOW_MAX, type SearchBody, type SearchQuery } from '@postil/domain/search/query'
import { resolveSearch, type SearchOptions } from '@postil/domain/search/resolve'
import type { Context } from '../../context.ts'
import type { SearchHits } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DatasetSettings, loadDatasetSettings, toSearchedDataset } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { askAndRead, createDatasetRead } from '../records/ask-engine.ts'
import { toSearchDataset } from '../records/search-dataset.ts'
import { findSimilarRecord } from '../records/similar-record.ts'
import { listRecordsByNumbers } from '../records/store.ts'

/** Hits per search request. */
const BATCH_HITS = 10_000

const INSERTED_AT = { kind: 'record', property: 'inserted_at', as: 'keyword' } as const

interface SearchContext {
  db: Queryable
  dataset: StoredDataset
  settings: DatasetSettings
}

/** Throws `invalid` if the search does not fit the dataset. */
export function resolveExportSearch(context: SearchContext, body: SearchBody, now: string): Promise<SearchQuery> {
  return findSimilarRecord(context, body.query?.vector?.record_id ?? null).then(similarRecord => {
    const options: SearchOptions = { userId: null, hidesMetadata: false, now, offset: 0, limit: BATCH_HITS, similarRecord }
    return checkAt(['search'], () => resolveSearch(body, toSearchDataset(context.settings), options))
  })
}

interface Batch extends SearchHits {
  /** Insertion time of the last hit. */
  until: string | null
}

/**
 * Records are in insertion order unless the search specifies a sort. In insertion order, each batch starts at the time where the
 * previous one ended, so the number of records is unlimited. Other sort orders need offsets, which search engines limit.
 */
export async function findRecords(ctx: Context, datasetId: Id, body: SearchBody, recordsMax = Number.POSITIVE_INFINITY) {
  const isOrdered = (body.sort ?? []).length > 0 || body.query?.vector != null
  const found = new Set<number>()
  let from: string | null = null
  let offset = 0
  while (true) {
    const { hits, total, until } = await findBatch(ctx, datasetId, body, { isOrdered, from, offset })
    if (isOrdered && total > RESULT_WINDOW_MAX) throw tooMany(total)
    for (const { recordNo } of hits) found.add(recordNo)
    if (hits.length < BATCH_HITS || found.size > recordsMax) return toNumbers(found)
    const isSameTime = until === from || until === null
    offset = isOrdered || isSameTime ? offset + hits.length : 0
    if (!isOrdered) from = until
  }
}

const tooMany = (total: number) =>
  invalid(
    `${total} records match; an export in an order of its own has at most ${RESULT_WINDOW_MAX}. Leave the sort out, or narrow the search`,
    ['search'],
  )

/** A typed array needs half the memory of a list. */
const toNumbers = (found: ReadonlySet<number>): Float64Array => Float64Array.from(found)

interface Place {
  isOrdered: boolean
  from: string | null
  offset: number
}

function findBatch(ctx: Context, datasetId: Id, body: SearchBody, { isOrdered, from, offset }: Place): Promise<Batch> {
  const read = createDatasetRead(ctx.db, datasetId)
  const prepare = async ({ db, dataset }: { db: Queryable; dataset: StoredDataset }) => {
    const settings = await loadDatasetSettings(db, dataset)
    const resolved = await resolveExportSearch({ db, dataset, settings }, body, ctx.now())
    const query: SearchQuery = { ...resolved, offset, limit: BATCH_HITS }
    if (!isOrdered) query.sort = [{ target: INSERTED_AT, order: 'asc' }]
    if (from !== null) {
      query.filters = [...query.filters, { kind: 'text_ranges', target: INSERTED_AT, ranges: [{ from, to: null }] }]
    }
    return () => ctx.search.search(toSearchedDataset(dataset, settings), query)
  }
  return askAndRead(ctx, read, prepare, async ({ db }, found) => {
    const last = found.hits.at(-1)
    const [row] = last && !isOrdered ? await listRecordsByNumbers(db, [last.recordNo]) : []
    return { ...found, until: row?.inserted_at ?? null }
  })
}
