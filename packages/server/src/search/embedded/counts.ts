/**
 * Counts under a search. The matches are gathered once, as numbers in a table of this connection's own, and every count then
 * looks at that table; targets that leave out a filter of their own have other matches and come after. Without conditions
 * nothing is gathered: the look-up tables are read as they are.
 */
import {
  type CountedTarget,
  type CountQuery,
  type Counts,
  NO_COUNTS,
  type Queue,
  type TargetCount,
  toEmptyCount,
  toQueueFilters,
} from '@postil/domain/search/counts'
import type { Filter, SearchQuery } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { loadNumbers } from './conditions.ts'
import { countTarget } from './count-target.ts'
import { countMatches, countRows, fromMatches, toPlan } from './plan.ts'
import { raw, type SqlPart, sql } from './sql-part.ts'
import { type TextCondition, toTextCondition } from './text.ts'

/** Numbers of the records that match; readers may write here, because it is not in the file. */
const MATCHES = 'temp.counted_records'
const MATCHING = raw(`(select no from ${MATCHES})`)

/** How many records match. Null: all of them, and none were gathered. */
type Gathered = number | null

interface Counting {
  db: Queryable
  dataset: SearchedDataset
  query: CountQuery
  text: TextCondition | null
}

export async function countMatching(db: Queryable, dataset: SearchedDataset, query: CountQuery): Promise<Counts> {
  if (!dataset.published) return { total: 0, by_status: NO_COUNTS, targets: query.targets.map(toEmptyCount) }
  const text = query.text === null ? null : await toTextCondition(db, dataset, query.text)
  const counting: Counting = { db, dataset, query, text }

  const targets = new Map<CountedTarget, TargetCount>()
  const groups = Map.groupBy(query.targets, target => JSON.stringify(target.filters))
  const gathered = await gather(counting, query.filters)
  const by_status = gathered === null ? await countQueuesOfAll(counting) : await countQueues(counting, gathered)
  await countTargets(counting, groups.get(JSON.stringify(query.filters)) ?? [], gathered, targets)
  groups.delete(JSON.stringify(query.filters))
  for (const group of groups.values()) {
    await countTargets(counting, group, await gather(counting, group[0]?.filters ?? []), targets)
  }
  await db.sql.run(`delete from ${MATCHES}`)

  const total = query.queue === null ? (gathered ?? dataset.records_count) : by_status[query.queue]
  return { total, by_status, targets: query.targets.map(target => targets.get(target) ?? toEmptyCount(target)) }
}

function toSearch({ text, userId }: CountQuery, filters: Filter[]): SearchQuery {
  return { text, similar: null, filters, sort: [], userId, shuffleFor: null, offset: 0, limit: 0 }
}

async function gather({ db, dataset, query, text }: Counting, filters: Filter[]): Promise<Gathered> {
  await db.sql.run(`create table if not exists ${MATCHES} (no integer primary key)`)
  await db.sql.run(`delete from ${MATCHES}`)
  const plan = await toPlan(db, dataset, toSearch(query, filters), text)
  if (plan === null) return 0
  if (plan.conditions.length === 0) return null
  const found = sql`select d.no ${fromMatches(plan)}`
  return (await db.sql.run(`insert into ${MATCHES} (no) ${found.text}`, found.params)).changes
}

async function countTargets(
  { db, dataset, query }: Counting,
  group: readonly CountedTarget[],
  gathered: Gathered,
  targets: Map<CountedTarget, TargetCount>,
): Promise<void> {
  const numbers = await loadNumbers(
    db,
    group.map(({ target }) => target),
  )
  const matches = gathered === null ? null : { table: MATCHES, isFew: isFew(gathered, dataset) }
  for (const counted of group) {
    targets.set(counted, await countTarget(db, counted, { matches, targets: { dataset, numbers, userId: query.userId } }))
  }
}

/** Few matches are looked up one by one; with many it is better to run through an index and ask which of its rows match. */
const isFew = (gathered: number, { records_count }: SearchedDataset) => gathered * 4 < records_count

/** Kept totals know how many records wait, and an index how many responses there are. */
async function countQueuesOfAll({ db, dataset, query }: Counting): Promise<Counts['by_status']> {
  const plan = await toPlan(db, dataset, toSearch({ ...query, text: null }, toQueueFilters('pending')))
  const pending = plan === null ? 0 : await countMatches(plan)
  return {
    ...NO_COUNTS,
    ...(await countResponses(db, sql`p.dataset_id = ${dataset.id} and p.user_id = ${query.userId}`)),
    pending,
  }
}

async function countQueues(counting: Counting, gathered: number): Promise<Counts['by_status']> {
  const { db, dataset, query } = counting
  const theirs = sql`p.dataset_id = ${dataset.id} and p.user_id = ${query.userId} and +p.record_no in ${MATCHING}`
  return { ...NO_COUNTS, ...(await countResponses(db, theirs)), pending: await countWaiting(counting, gathered, theirs) }
}

/** What waits is counted, or what does not and the rest taken away: whichever is less. */
async function countWaiting({ db, dataset }: Counting, gathered: number, theirs: SqlPart): Promise<number> {
  const ofStatus = (status: string) => sql`from records r where r.dataset_id = ${dataset.id} and r.status = ${status}`
  if (dataset.completed_count * 2 > dataset.records_count) {
    const touched = sql`(select p.record_no from responses p where ${theirs})`
    return countRows(db, sql`select count(*) as size ${ofStatus('pending')} and +r.no in ${MATCHING} and r.no not in ${touched}`)
  }
  const completed = sql`select count(*) as size ${ofStatus('completed')} and +r.no in ${MATCHING}`
  const answered = sql`select count(*) as size from responses p where ${theirs}
    and p.record_no not in (select r.no ${ofStatus('completed')})`
  return gathered - (await countRows(db, completed)) - (await countRows(db, answered))
}

async function countResponses(db: Queryable, { text, params }: SqlPart): Promise<Partial<Record<Queue, number>>> {
  const rows = await db.sql.all<{ status: Queue; size: number }>(
    `select p.status, count(*) as size from responses p where ${text} group by p.status`,
    params,
  )
  return Object.fromEntries(rows.map(({ status, size }) => [status, size]))
}
