/** What a search asks for, as SQL: through which records it runs, and what it asks of each. */
import type { Filter, SearchQuery } from '@postil/domain/search/query'
import { countWaiting } from '../../storage/count-waiting.ts'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { type Condition, loadNumbers, type TargetNumbers, targetsOf, toCondition, toRecordPart } from './conditions.ts'
import { joinParts, raw, type SqlPart, sql } from './sql-part.ts'
import { type TextCondition, toTextCondition } from './text.ts'
import { textTableOf } from './text-index.ts'

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
  /** About how many records the driver has: at least so many. */
  driverSize: number
}

const SIZE_MAX = 20_000
/** Filters beyond these are only asked, never run through. */
const DRIVERS_MAX = 8

/** Null when nothing can match. `known` is the query's text, when it was looked up already. */
export async function toPlan(
  db: Queryable,
  dataset: SearchedDataset,
  query: SearchQuery,
  known: TextCondition | null = null,
): Promise<Plan | null> {
  if (query.filters.some(filter => filter.kind === 'nothing') || query.text?.tree.kind === 'none') return null
  const numbers = await loadNumbers(db, [...query.filters.flatMap(targetsOf), ...query.sort.map(entry => entry.target)])
  const targets = { dataset, numbers, userId: query.userId }
  const text = query.text === null ? null : (known ?? (await toTextCondition(db, dataset, query.text)))
  const recordParts = query.filters.flatMap(filter => toRecordPart(filter) ?? [])
  const conditions = query.filters.flatMap(filter => toCondition(filter, targets) ?? [])
  const recordCondition = recordParts.length === 0 ? null : toRecordCondition(dataset, recordParts)
  for (const condition of [recordCondition, text]) if (condition !== null) conditions.unshift(condition)
  const { driver, driverSize } = await chooseDriver(db, conditions)
  return { db, dataset, query, targets, text, recordParts, recordCondition, conditions, driver, driverSize }
}

export function toRecordCondition(dataset: SearchedDataset, parts: SqlPart[]): Condition {
  const where = joinParts(parts, 'and')
  return {
    set: sql`select r.no from records r where r.dataset_id = ${dataset.id} and ${where}`,
    unset: null,
    isUnique: true,
    holds: no => sql`exists (select 1 from records r where r.no = ${no} and ${where})`,
  }
}

/** The smallest set. None is counted further than the smallest so far: running through a large one is what it is to avoid. */
async function chooseDriver(db: Queryable, conditions: readonly Condition[]): Promise<Pick<Plan, 'driver' | 'driverSize'>> {
  const able = conditions.filter(condition => condition.set !== null).slice(0, DRIVERS_MAX)
  if (able.length < 2) return { driver: able[0] ?? null, driverSize: 0 }
  let driver: Condition | null = null
  let driverSize = SIZE_MAX
  for (const condition of able) {
    const size = await countRows(db, sql`select count(*) as size from (${condition.set ?? raw('')} limit ${driverSize})`)
    if (driver === null || size < driverSize) [driver, driverSize] = [condition, size]
  }
  return { driver, driverSize }
}

/** The records of a condition, each once. */
export function setOf({ set, isUnique }: Condition): SqlPart {
  return isUnique ? (set ?? raw('')) : sql`select distinct no from (${set ?? raw('')})`
}

/** `from … where …` over the matching records' numbers, `d.no`. */
export function fromMatches(plan: Plan): SqlPart {
  const all = sql`select r.no from records r where r.dataset_id = ${plan.dataset.id}`
  return sql`from (${plan.driver === null ? all : setOf(plan.driver)}) d where ${asked(plan, raw('+d.no'), [plan.driver])}`
}

/** The same where their columns are needed: on the alias `r`. With an index named, all records are walked in its order. */
export function fromRecords(plan: Plan, index: 'records_by_time' | 'records_by_number' | null = null): SqlPart {
  const { driver, recordParts, recordCondition } = plan
  if (index !== null || driver === null || driver === recordCondition) {
    const others = asked(plan, raw('+r.no'), [recordCondition])
    const where = joinParts([sql`r.dataset_id = ${plan.dataset.id}`, ...recordParts, others], 'and')
    return sql`from records r ${raw(index === null ? '' : `indexed by ${index}`)} where ${where}`
  }
  const where = joinParts([...recordParts, asked(plan, raw('+d.no'), [driver, recordCondition])], 'and')
  return sql`from (${setOf(driver)}) d cross join records r on r.no = d.no where ${where}`
}

/** The questions about one record, but those of `except`. The plus keeps SQLite from turning the loops around. */
export function asked(plan: Plan, no: SqlPart, except: readonly (Condition | null)[] = []): SqlPart {
  const parts = plan.conditions.filter(condition => !except.includes(condition)).map(condition => condition.holds(no))
  return joinParts(parts, 'and')
}

/** How many records match, exactly. */
export async function countMatches(plan: Plan): Promise<number> {
  const known = await countByTotals(plan)
  return known ?? countRows(plan.db, sql`select count(*) as size ${fromMatches(plan)}`)
}

/** What is kept with the dataset answers the questions of the annotation queue without counting records. */
async function countByTotals({ db, dataset, query, text }: Plan): Promise<number | null> {
  if (text !== null) return query.filters.length > 0 ? null : countLacking(db, dataset, text)
  const statuses = query.filters.flatMap(filter => statusOf(filter) ?? [])
  const waiting = query.filters.filter(isPending)
  if (statuses.length > 1 || waiting.length > 1 || statuses.length + waiting.length < query.filters.length) return null
  const [status] = statuses
  const { records_count, completed_count } = dataset
  const ofStatus: Record<string, number> = { completed: completed_count, pending: records_count - completed_count }
  const records = status === undefined ? records_count : (ofStatus[status] ?? 0)
  if (waiting.length === 0) return records
  if (query.userId === null) return null
  const theirs = sql`p.dataset_id = ${dataset.id} and p.user_id = ${query.userId}`
  if (status !== undefined && status !== 'pending') {
    const join = sql`join records r on r.no = p.record_no and r.status = ${status}`
    return records - (await countRows(db, sql`select count(*) as size from responses p ${join} where ${theirs}`))
  }
  const isListRead = status === undefined || dataset.min_submitted > 1
  const responses = isListRead ? await countRows(db, sql`select count(*) as size from responses p where ${theirs}`) : null
  if (status === undefined) return records - (responses ?? 0)
  return (await countWaiting(db, [{ ...dataset, responses }], query.userId)).get(dataset.id) ?? null
}

async function countLacking(db: Queryable, dataset: SearchedDataset, { lacking }: TextCondition): Promise<number | null> {
  if (lacking === null) return null
  const table = raw(textTableOf(dataset.id))
  return dataset.records_count - (await countRows(db, sql`select count(*) as size from ${table} where ${table} match ${lacking}`))
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
