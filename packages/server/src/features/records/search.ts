/** The two search routes and the two lists: one query type, one way to show what was found. */
import { allow } from '@postil/domain/errors'
import { type Actor, canListRecords, canSearchOwnRecords, canSeeExtraMetadata } from '@postil/domain/permissions'
import { type Include, parseInclude } from '@postil/domain/search/include'
import type { OldParameters, SearchBody } from '@postil/domain/search/query'
import { resolveList, resolveSearch, type SearchOptions } from '@postil/domain/search/resolve'
import type { RequestContext } from '../../context.ts'
import { JsonText } from '../../lib/answer.ts'
import type { SearchHits } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DatasetSettings, loadDatasetSettings, toSearched } from '../datasets/settings.ts'
import { loadDataset, type StoredDataset } from '../datasets/store.ts'
import { listVectorsOf } from '../vectors/store.ts'
import { showHighlights } from './highlights.ts'
import { toSearchDataset } from './search-dataset.ts'
import { showRecords } from './show.ts'
import { listRecordsByIds, listRecordsByNumbers, listRecordsPage, type RecordRow } from './store.ts'

/** Whose search it is: everybody's responses for admins, the caller's own in the annotation queue. */
export type Whose = 'all' | 'mine'

interface PageQuery extends OldParameters {
  offset?: number
  limit?: number
  include?: string[]
  highlight?: boolean
}

interface Searched {
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
  whose: Whose,
  datasetId: string,
  body: SearchBody,
  query: PageQuery,
): Promise<JsonText> {
  return open(ctx, whose, datasetId, query, async searched => {
    const similarRecord = await findSimilarRecord(searched, body.query?.vector?.record_id ?? null)
    const resolved = resolveSearch(body, toSearchDataset(searched.settings), { ...searched.options, similarRecord })
    const found = await search(searched, resolved)
    const rows = await listFound(searched, found)
    const records = await showFound(searched, rows)
    const highlights = query.highlight ? showHighlights(searched.settings, resolved.text, rows) : null
    const items = found.hits.flatMap(hit => {
      const record = records.get(hit.recordNo)
      const marks = highlights === null ? '' : `,"highlights":${highlights.get(hit.recordNo) ?? '{}'}`
      return record === undefined ? [] : `{"record":${record},"query_score":${hit.score ?? 'null'}${marks}}`
    })
    return new JsonText(`{"items":[${items.join()}],"total":${found.total}}`)
  })
}

export function listRecords(ctx: RequestContext, whose: Whose, datasetId: string, query: PageQuery): Promise<JsonText> {
  return open(ctx, whose, datasetId, query, async searched => {
    const isPlain = whose === 'all' && !query.response_status?.length && !query.metadata?.length && !query.sort_by?.length
    if (isPlain) return listPlainly(searched)
    const found = await search(searched, resolveList(toSearchDataset(searched.settings), searched.options))
    const records = await showFound(searched, await listFound(searched, found))
    const items = found.hits.flatMap(hit => records.get(hit.recordNo) ?? [])
    return new JsonText(`{"items":[${items.join()}],"total":${found.total}}`)
  })
}

/** Without conditions the list is read from the records themselves: to the last page, however far. */
async function listPlainly({ db, dataset, options, ...shown }: Searched): Promise<JsonText> {
  const total = dataset.records_count
  const rows = await listRecordsPage(db, dataset.id, { offset: Math.max(0, options.offset), limit: options.limit, total })
  const items = await showRecords(db, rows, { dataset, ...shown })
  return new JsonText(`{"items":[${items.join()}],"total":${total}}`)
}

/** Loads and allows, then runs `answer` in one consistent view of the database. */
function open<T>(
  ctx: RequestContext,
  whose: Whose,
  datasetId: string,
  query: PageQuery,
  answer: (searched: Searched) => Promise<T>,
): Promise<T> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, datasetId)
    allow(whose === 'all' ? canListRecords(ctx.actor, dataset) : canSearchOwnRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const { offset = 0, limit = 50, include, highlight: _shown, ...parameters } = query
    const viewer = whose === 'mine' ? ctx.actor : null
    const hidesMetadata = viewer !== null && !canSeeExtraMetadata(viewer, dataset)
    const options: SearchOptions = { userId: viewer?.id ?? null, hidesMetadata, now: ctx.now(), offset, limit, parameters }
    return answer({ ctx, db, dataset, settings, include: parseInclude(include), viewer, options })
  })
}

function search({ ctx, dataset, settings }: Searched, query: ReturnType<typeof resolveSearch>): Promise<SearchHits> {
  return ctx.search.search(toSearched(dataset, settings), query)
}

function listFound({ db }: Searched, { hits }: SearchHits): Promise<RecordRow[]> {
  return listRecordsByNumbers(
    db,
    hits.map(hit => hit.recordNo),
  )
}

/** The records of a page of hits, by number. */
async function showFound({ db, ...shown }: Searched, rows: readonly RecordRow[]): Promise<Map<number, string>> {
  const texts = await showRecords(db, rows, shown)
  return new Map(rows.map((row, index) => [row.no, texts[index] as string]))
}

async function findSimilarRecord(
  { db, dataset, settings }: Searched,
  recordId: string | null,
): Promise<NonNullable<SearchOptions['similarRecord']> | null> {
  if (recordId === null) return null
  const [row] = await listRecordsByIds(db, dataset.id, [recordId])
  if (!row) return null
  const ids = new Map(settings.vectorsSettings.map(vectors => [vectors.no, vectors.id]))
  const vectors = await listVectorsOf(db, [row.no], [...ids.keys()])
  return { vectors: new Map(vectors.map(vector => [ids.get(vector.vectors_settings_no) as string, vector.value])) }
}
