/** The two search routes and the two list routes, which share one query type and one representation of results. */
import { allow } from '@postil/domain/errors'
import { type Actor, canListRecords, canSearchOwnRecords, canSeeExtraMetadata } from '@postil/domain/permissions'
import { type Include, parseInclude } from '@postil/domain/search/include'
import type { OldParameters, SearchBody } from '@postil/domain/search/query'
import { resolveList, resolveSearch, type SearchOptions } from '@postil/domain/search/resolve'
import type { RequestContext } from '../../context.ts'
import { JsonText } from '../../lib/answer.ts'
import type { CachedRecords, SearchHits } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import { SKIPPED_MAX, toNumbersQuery } from '../../storage/record-pages.ts'
import { type DatasetSettings, loadDatasetSettings, toSearchedDataset } from '../datasets/settings.ts'
import { readDataset } from '../datasets/speculative-read.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { askAndRead, type Read } from './ask-engine.ts'
import { showHighlights } from './highlights.ts'
import { isCacheable, readPage } from './page.ts'
import { toSearchDataset } from './search-dataset.ts'
import { listShownRelations, toTexts } from './show.ts'
import { findSimilarRecord } from './similar-record.ts'
import { findRecordsPage, listRecordsPage, type RecordRow } from './store.ts'

/** Scope of the search: all users' responses for admins, or the caller's own in the annotation queue. */
export type ResponseScope = 'all' | 'mine'

interface PageQuery extends OldParameters {
  offset?: number
  limit?: number
  include?: string[]
  highlight?: boolean
}

interface SearchContext {
  ctx: RequestContext
  db: Queryable
  dataset: StoredDataset
  settings: DatasetSettings
  include: Include
  viewer: Actor | null
  options: SearchOptions
}

export function searchRecords(
  ctx: RequestContext,
  whose: ResponseScope,
  datasetId: string,
  body: SearchBody,
  query: PageQuery,
): Promise<JsonText> {
  const similarTo = body.query?.vector?.record_id ?? null
  const read: Read<SearchContext> = work => openSearch(ctx, { whose, datasetId, query, isAtOnce: similarTo === null }, work)
  const prepare = async (context: SearchContext) => {
    const similarRecord = await findSimilarRecord(context, similarTo)
    const resolved = resolveSearch(body, toSearchDataset(context.settings), { ...context.options, similarRecord })
    return async () => ({ ...(await search(context, resolved)), text: resolved.text })
  }
  const reading = askAndRead(ctx, read, prepare, async (context, found) => {
    const { rows, records, keep } = await readFound(context, found)
    const highlights = query.highlight ? showHighlights(context.settings, found.text, rows) : null
    const items = found.hits.flatMap(hit => {
      const record = records.get(hit.recordNo)
      const marks = highlights === null ? '' : `,"highlights":${highlights.get(hit.recordNo) ?? '{}'}`
      return record === undefined ? [] : `{"record":${record},"query_score":${hit.score ?? 'null'}${marks}}`
    })
    return { answer: new JsonText(`{"items":[${items.join()}],"total":${found.total}}`), keep }
  })
  return cacheRead(reading)
}

export function listRecords(ctx: RequestContext, whose: ResponseScope, datasetId: string, query: PageQuery): Promise<JsonText> {
  const isPlain = whose === 'all' && !query.response_status?.length && !query.metadata?.length && !query.sort_by?.length
  const isAtOnce = !isPlain || (query.offset ?? 0) <= SKIPPED_MAX
  const read: Read<SearchContext> = work => openSearch(ctx, { whose, datasetId, query, isAtOnce }, work)
  if (isPlain) return read(listUnfiltered)
  const prepare = async (context: SearchContext) => {
    const resolved = resolveList(toSearchDataset(context.settings), context.options)
    return () => search(context, resolved)
  }
  const reading = askAndRead(ctx, read, prepare, async (context, found) => {
    const { records, keep } = await readFound(context, found)
    const items = found.hits.flatMap(hit => records.get(hit.recordNo) ?? [])
    return { answer: new JsonText(`{"items":[${items.join()}],"total":${found.total}}`), keep }
  })
  return cacheRead(reading)
}

/** Caches the records read. The read has completed, so its view is known to match the expected dataset. */
async function cacheRead(reading: Promise<{ answer: JsonText; keep(): void }>): Promise<JsonText> {
  const { answer, keep } = await reading
  keep()
  return answer
}

/** Without conditions, the list is read directly from the records, so the offset is not limited. */
async function listUnfiltered({ db, dataset, options, ...others }: SearchContext): Promise<JsonText> {
  const total = dataset.records_count
  const view = { dataset, ...others }
  const page = await findRecordsPage(db, dataset.id, { offset: Math.max(0, options.offset), limit: options.limit, total })
  const numbers = toNumbersQuery(db.dialect, page)
  const listing = listRecordsPage(db, dataset.id, page)
  // Both statements are sent together if the page can be selected without knowing its records.
  const [rows, relations] = await Promise.all([
    listing,
    numbers ? listShownRelations(db, numbers, view) : listing.then(listed => listShownRelations(db, listed, view)),
  ])
  return new JsonText(`{"items":[${toTexts(rows, relations, view).join()}],"total":${total}}`)
}

interface SearchRequest {
  whose: ResponseScope
  datasetId: string
  query: PageQuery
  isAtOnce: boolean
}

/** Loads the dataset, checks permissions, then runs `answer` in one consistent view of the database. */
function openSearch<T>(
  ctx: RequestContext,
  { whose, datasetId, query, isAtOnce }: SearchRequest,
  answer: (context: SearchContext) => Promise<T>,
): Promise<T> {
  const read = async (db: Queryable, dataset: StoredDataset) => {
    allow(whose === 'all' ? canListRecords(ctx.actor, dataset) : canSearchOwnRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const { offset = 0, limit = 50, include, highlight: _shown, ...parameters } = query
    const viewer = whose === 'mine' ? ctx.actor : null
    const hidesMetadata = viewer !== null && !canSeeExtraMetadata(viewer, dataset)
    const options: SearchOptions = { userId: viewer?.id ?? null, hidesMetadata, now: ctx.now(), offset, limit, parameters }
    return answer({ ctx, db, dataset, settings, include: parseInclude(include), viewer, options })
  }
  return readDataset(ctx.db, datasetId, read, { isAtOnce })
}

async function search(context: SearchContext, query: ReturnType<typeof resolveSearch>): Promise<SearchHits> {
  const { ctx, db, dataset, settings } = context
  // On PostgreSQL, if nothing else has to be read, the search runs while the database verifies the expected dataset.
  const isSent = db.sendNow !== undefined && cacheOf(context)?.isWarm() === true
  if (isSent) await db.sendNow?.()
  const found = ctx.search.search(toSearchedDataset(dataset, settings), query)
  return isSent || ctx.search.isRemote || !db.hold ? found : db.hold(found)
}

const cacheOf = ({ ctx, dataset, include }: SearchContext): CachedRecords | null =>
  isCacheable(include) ? (ctx.search.cachedRecords?.(dataset.id, dataset.change_no) ?? null) : null

interface FoundRecords {
  rows: RecordRow[]
  /** JSON as visible to the caller, by record number. */
  records: Map<number, string>
  keep(): void
}

async function readFound(context: SearchContext, { hits }: SearchHits): Promise<FoundRecords> {
  const nos = hits.map(hit => hit.recordNo)
  const { rows, relations, keep } = await readPage(context.db, nos, context, cacheOf(context))
  const texts = toTexts(rows, relations, context)
  return { rows, records: new Map(rows.map((row, index) => [row.no, texts[index] as string])), keep }
}
