/** The records nearest to a vector, among those that match everything else. */
import type { SearchQuery } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset, SearchHits } from '../engine.ts'
import { asked, countRows, fromMatches, type Plan, toPlan } from './plan.ts'
import { raw, sql } from './sql-part.ts'
import type { NearestRequest, VectorIndex } from './vectors/vector-index.ts'

const NEAREST_MAX = 1000
/** Up to so many candidates are compared one by one; of more, the nearest are asked whether they match. */
const CANDIDATES_MAX = 2000

type Similar = NonNullable<SearchQuery['similar']>

export async function searchSimilar(
  db: Queryable,
  dataset: SearchedDataset,
  query: SearchQuery,
  similar: Similar,
  index: VectorIndex,
): Promise<SearchHits> {
  if (query.offset >= NEAREST_MAX) return { hits: [], total: 0 }
  const plan = await toPlan(db, dataset, query)
  const settings = await db.sql.get<{ no: number; dimensions: number }>(
    'select no, dimensions from vectors_settings where id = ?',
    [similar.vectorSettingsId],
  )
  if (plan === null || settings === undefined) return { hits: [], total: 0 }
  const hits = await index.nearest(db, {
    settingsNo: settings.no,
    dimensions: settings.dimensions,
    vector: similar.value,
    order: similar.order,
    k: Math.min(query.offset + query.limit, NEAREST_MAX),
    excludeRecordNo: await findRecordNo(db, similar.excludeRecordId),
    ...(await toRestriction(plan)),
  })
  return { hits: hits.slice(query.offset, query.offset + query.limit), total: hits.length }
}

async function findRecordNo(db: Queryable, recordId: string | null): Promise<number | null> {
  if (recordId === null) return null
  return (await db.sql.get<{ no: number }>('select no from records where id = ?', [recordId]))?.no ?? null
}

async function toRestriction(plan: Plan): Promise<Pick<NearestRequest, 'only' | 'keep'>> {
  if (plan.conditions.length === 0) return { only: null, keep: null }
  if (await hasMany(plan)) return { only: null, keep: recordNos => keepMatching(plan, recordNos) }
  const { text, params } = sql`select d.no as no ${fromMatches(plan)}`
  const matches = await plan.db.sql.all<{ no: number }>(text, params)
  return { only: matches.map(row => row.no), keep: null }
}

/** Counted no further than needed. A record that is found twice by one condition counts twice: near enough. */
async function hasMany(plan: Plan): Promise<boolean> {
  const alone = plan.conditions.length === 1 ? (plan.driver?.set ?? null) : null
  const matches = alone ?? sql`select d.no as no ${fromMatches(plan)}`
  return (await countRows(plan.db, sql`select count(*) as size from (${matches} limit ${CANDIDATES_MAX + 1})`)) > CANDIDATES_MAX
}

async function keepMatching(plan: Plan, recordNos: readonly number[]): Promise<Set<number>> {
  const { text, params } =
    sql`select d.value as no from json_each(${JSON.stringify(recordNos)}) d where ${asked(plan, raw('d.value'))}`
  const rows = await plan.db.sql.all<{ no: number }>(text, params)
  return new Set(rows.map(row => row.no))
}
