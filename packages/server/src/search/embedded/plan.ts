/** What a search asks for, as SQL: through which records it runs, and what it asks of each. */
import type { Filter, SearchQuery } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { type Condition, loadNumbers, type TargetNumbers, toCondition, toRecordPart } from './conditions.ts'
import { joinParts, raw, type SqlPart, sql } from './sql-part.ts'
import { type TextCondition, toTextCondition } from './text.ts'

export interface Plan {
  db: Queryable
  dataset: SearchedDataset
  query: SearchQuery
  targets: TargetNumbers
  text: TextCondition | null
  /** What the record's own columns must be, on the alias `r`; and the same as one of the conditions. */
  recordParts: SqlPart[]
  recordCondition: Condition | null
  /** Everything that is asked. */
  conditions: Condition[]
  /** The condition whose set is run through; null for all records. */
  driver: Condition | null
  /** About how many records the driver has; counted no further than `SIZE_MAX`. */
  driverSize: number
}

const SIZE_MAX = 20_000
/** Filters beyond these are only asked, never run through. */
const DRIVERS_MAX = 8

/** Null when nothing can match. */
export async function toPlan(db: Queryable, dataset: SearchedDataset, query: SearchQuery): Promise<Plan | null> {
  if (query.filters.some(filter => filter.kind === 'nothing') || query.text?.tree.kind === 'none') return null
  const filterTargets = query.filters.flatMap(filter => ('target' in filter ? [filter.target] : []))
  const numbers = await loadNumbers(db, [...filterTargets, ...query.sort.map(entry => entry.target)])
  const targets = { dataset, numbers, userId: query.userId }
  const text = query.text === null ? null : await toTextCondition(db, dataset, query.text)
  const recordParts = query.filters.flatMap(filter => toRecordPart(filter) ?? [])
  const conditions = query.filters.flatMap(filter => toCondition(filter, targets) ?? [])
  const recordCondition = recordParts.length === 0 ? null : toRecordCondition(dataset, recordParts)
  for (const condition of [recordCondition, text]) if (condition !== null) conditions.unshift(condition)
  const { driver, driverSize } = await chooseDriver(db, dataset, conditions)
  return { db, dataset, query, targets, text, recordParts, recordCondition, conditions, driver, driverSize }
}

function toRecordCondition(dataset: SearchedDataset, parts: SqlPart[]): Condition {
  const where = joinParts(parts, 'and')
  return {
    set: sql`select r.no from records r where r.dataset_id = ${dataset.id} and ${where}`,
    holds: no => sql`exists (select 1 from records r where r.no = ${no} and ${where})`,
  }
}

/** The smallest set. Counting up to a limit is cheap; running through a large set for a small answer is not. */
async function chooseDriver(
  db: Queryable,
  dataset: SearchedDataset,
  conditions: readonly Condition[],
): Promise<Pick<Plan, 'driver' | 'driverSize'>> {
  const able = conditions.filter(condition => condition.set !== null).slice(0, DRIVERS_MAX)
  let driver = able[0] ?? null
  let driverSize = driver === null ? dataset.records_count : await countSet(db, driver)
  for (const condition of able.slice(1)) {
    const size = await countSet(db, condition)
    if (size < driverSize) [driver, driverSize] = [condition, size]
  }
  return { driver, driverSize }
}

async function countSet(db: Queryable, condition: Condition): Promise<number> {
  const { text, params } = sql`select count(*) as size from (${condition.set ?? raw('')} limit ${SIZE_MAX})`
  return (await db.sql.get<{ size: number }>(text, params))?.size ?? 0
}

/** `from … where …` over all matching records, whose numbers are `d.no`. */
export function fromMatches(plan: Plan, joined: SqlPart = raw('')): SqlPart {
  const all = sql`select r.no from records r where r.dataset_id = ${plan.dataset.id}`
  return sql`from (${plan.driver?.set ?? all}) d ${joined} where ${asked(plan, raw('+d.no'), plan.driver)}`
}

/** The questions about one record, but those of `except`. The plus keeps SQLite from turning the loops around. */
export function asked(plan: Plan, no: SqlPart, except: Condition | null = null): SqlPart {
  const parts = plan.conditions.filter(condition => condition !== except).map(condition => condition.holds(no))
  return joinParts(parts, 'and')
}

/** How many records match, exactly. */
export async function countMatches(plan: Plan): Promise<number> {
  const known = await countByTotals(plan)
  if (known !== null) return known
  return countRows(plan.db, sql`select count(*) as size ${fromMatches(plan)}`)
}

/** What is kept with the dataset answers the questions of the annotation queue without counting records. */
async function countByTotals({ db, dataset, query }: Plan): Promise<number | null> {
  if (query.text !== null) return null
  const statuses = query.filters.flatMap(filter => statusOf(filter) ?? [])
  const waiting = query.filters.filter(isPending)
  if (statuses.length > 1 || waiting.length > 1 || statuses.length + waiting.length < query.filters.length) return null
  const [status] = statuses
  const counts: Record<string, number> = {
    completed: dataset.completed_count,
    pending: dataset.records_count - dataset.completed_count,
  }
  const records = status === undefined ? dataset.records_count : (counts[status] ?? 0)
  if (waiting.length === 0) return records
  if (query.userId === null) return null
  const join = status === undefined ? raw('') : raw('join records r on r.no = p.record_no')
  const same = status === undefined ? raw('true') : sql`r.status = ${status}`
  return (
    records -
    (await countRows(
      db,
      sql`select count(*) as size from responses p ${join} where p.dataset_id = ${dataset.id} and p.user_id = ${query.userId} and ${same}`,
    ))
  )
}

/** The one record status that a filter leaves. */
export function statusOf(filter: Filter): string | null {
  if (filter.kind !== 'values' || filter.target.kind !== 'record' || filter.target.property !== 'status') return null
  const values = new Set(filter.values)
  return values.size === 1 ? (filter.values[0] ?? null) : null
}

const isPending = (filter: Filter) => filter.kind === 'response_status' && filter.pending && filter.statuses.length === 0

export async function countRows(db: Queryable, { text, params }: SqlPart): Promise<number> {
  return (await db.sql.get<{ size: number }>(text, params))?.size ?? 0
}
