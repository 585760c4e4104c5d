/** Pages of records in the stored format. The tokens contain the whole state of a scan, so they do not expire. */
import type { LegacyScan } from '@postil/domain/legacy/api-records'
import { closedDataset } from '@postil/domain/legacy/errors'
import { type RecordQuery, type Sort, toFilter, toSorts } from '@postil/domain/legacy/filter'
import { parsePattern } from '@postil/domain/legacy/pattern'
import type { Json } from '@postil/domain/schema'
import type { RequestContext } from '../context.ts'
import type { Queryable } from '../storage/database.ts'
import { type DatasetRef, loadDataset, type TaskDataset } from './datasets-store.ts'
import { compareFound, type FoundRecord, findRecords, type SortKey } from './find.ts'
import { loadRecords } from './records-store.ts'
import { showStored } from './show.ts'

type Page = {
  records: Json[]
  next_idx: string | null
  next_page_cfg: string | null
}

export const NO_QUERY = {} as RecordQuery

export function scanLegacyRecords(ctx: RequestContext, place: DatasetRef, limit: number, given: LegacyScan): Promise<Page> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(ctx, db, place)
    if (dataset.is_closed) throw closedDataset(dataset.name)
    const filter = toFilter(given.query ?? NO_QUERY)
    const sorts = toSorts(given.sort_by)
    const cursor = readCursor(given, sorts)
    const found = await findPage(ctx, db, dataset, { filter, sorts, cursor, limit })
    const ids = found.map(({ id }) => id)
    const rows = await loadRecords(db, dataset.no, ids)
    const patterns = given.fields && given.fields.length > 0 ? given.fields.map(field => parsePattern(field, 'wildcard')) : null
    const records = ids.flatMap(id => {
      const row = rows.get(id)
      return row ? [showStored(row, { task: dataset.task, node: filter.node }, patterns)] : []
    })
    const last = found.at(-1) ?? cursor
    return {
      records,
      next_idx: sorts.length === 0 ? (last?.id ?? null) : null,
      next_page_cfg: last === null ? null : JSON.stringify(toCursor(sorts, last)),
    }
  })
}

interface Paging {
  filter: ReturnType<typeof toFilter>
  sorts: readonly Sort[]
  /** The last record of the previous page. */
  cursor: FoundRecord | null
  limit: number
}

/** In id order, the search ends with the page. In any other order, each page sorts all matching records. */
async function findPage(
  ctx: RequestContext,
  db: Queryable,
  dataset: TaskDataset,
  { filter, sorts, cursor, limit }: Paging,
): Promise<FoundRecord[]> {
  if (limit === 0) return []
  if (sorts.length === 0) return findRecords(ctx, db, dataset, { filter, after: cursor?.id ?? '', limit })
  const compare = compareFound(sorts)
  const found = await findRecords(ctx, db, dataset, { filter, sorts })
  const left = cursor === null ? found : found.filter(one => compare(one, cursor) > 0)
  return left.sort(compare).slice(0, limit)
}

const toCursor = (sorts: readonly Sort[], { id, key }: FoundRecord) => ({
  sort_by: sorts.map(({ field, isDescending }) => ({ id: field, order: isDescending ? 'desc' : 'asc' })),
  next_search_params: [...key, id],
})

/** An invalid token, or one for another sort order, is ignored. */
function readCursor({ next_page_cfg, next_idx }: LegacyScan, sorts: readonly Sort[]): FoundRecord | null {
  const params = next_page_cfg == null ? null : readParams(next_page_cfg)
  const id = params?.at(-1)
  if (params && typeof id === 'string' && params.length === sorts.length + 1) return { id, key: params.slice(0, -1) as SortKey }
  return next_idx != null && sorts.length === 0 ? { id: next_idx, key: [] } : null
}

function readParams(token: string): Json[] | null {
  try {
    const { next_search_params } = JSON.parse(token) as { next_search_params?: Json }
    const isKey = (value: Json) => value === null || typeof value !== 'object'
    return Array.isArray(next_search_params) && next_search_params.every(isKey) ? next_search_params : null
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}
