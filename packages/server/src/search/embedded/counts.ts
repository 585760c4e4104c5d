/**
 * Counts under a search. Where the matches are few, their numbers are gathered in a table of this connection's own, and every
 * count looks them up; where they are many, they are marked in memory (record-bits.ts) and every count runs once through its
 * index. Targets that leave out a filter of their own have other matches. Without conditions nothing is gathered.
 */
import {
  type CountedTarget,
  type CountQuery,
  type Counts,
  NO_COUNTS,
  QUEUES,
  type Queue,
  type TargetCount,
  toEmptyCount,
  toQueueFilters,
} from '@postil/domain/search/counts'
import type { Filter, SearchQuery } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { loadNumbers } from './conditions.ts'
import { countTarget, type Matches } from './count-target.ts'
import { countMatches, countRows, fromMatches, toPlan } from './plan.ts'
import { type BitsSource, countBits, listFew, openRecordBits } from './record-bits.ts'
import { raw, type SqlPart, sql } from './sql-part.ts'
import { type TextCondition, toTextCondition } from './text.ts'

/** Numbers of the records that match; readers may write here, because it is not in the file. */
const TABLE = 'temp.counted_records'

interface Counting {
  db: Queryable
  dataset: SearchedDataset
  query: CountQuery
  text: TextCondition | null
  bits: BitsSource
}

export async function countMatching(db: Queryable, dataset: SearchedDataset, query: CountQuery): Promise<Counts> {
  if (!dataset.published) return { total: 0, by_status: NO_COUNTS, targets: query.targets.map(toEmptyCount) }
  const text = query.text === null ? null : await toTextCondition(db, dataset, query.text)
  const counting: Counting = { db, dataset, query, text, bits: openRecordBits(db, { dataset, userId: query.userId, text }) }

  const { size, by_status } = await countQueues(counting)
  const targets = new Map<CountedTarget, TargetCount>()
  for (const group of Map.groupBy(query.targets, target => JSON.stringify(target.filters)).values()) {
    await countTargets(counting, group, targets)
  }
  await db.sql.run(`delete from ${TABLE}`)

  const total = query.queue === null ? size : by_status[query.queue]
  return { total, by_status, targets: query.targets.map(target => targets.get(target) ?? toEmptyCount(target)) }
}

function toSearch({ text, userId }: CountQuery, filters: Filter[]): SearchQuery {
  return { text, similar: null, filters, sort: [], userId, shuffleFor: null, offset: 0, limit: 0 }
}

async function findMatches({ db, dataset, query, text, bits }: Counting, filters: Filter[]): Promise<Matches> {
  await db.sql.run(`create table if not exists ${TABLE} (no integer primary key)`)
  if (filters.length === 0 && text === null) return { kind: 'all' }
  await db.sql.run(`delete from ${TABLE}`)
  if (!(await bits.leavesFew(filters))) {
    const marked = await bits.of(filters)
    const nos = listFew(marked, dataset)
    if (nos === null) return { kind: 'many', bits: marked }
    await db.sql.run(`insert into ${TABLE} (no) select value from json_each(?)`, [JSON.stringify(nos)])
    return { kind: 'few', table: TABLE, size: nos.length }
  }
  const plan = await toPlan(db, dataset, toSearch(query, filters), text)
  if (plan === null) return { kind: 'few', table: TABLE, size: 0 }
  const found = sql`select d.no ${fromMatches(plan)}`
  return { kind: 'few', table: TABLE, size: (await db.sql.run(`insert into ${TABLE} (no) ${found.text}`, found.params)).changes }
}

async function countTargets(
  counting: Counting,
  group: readonly CountedTarget[],
  targets: Map<CountedTarget, TargetCount>,
): Promise<void> {
  const { db, dataset, query } = counting
  const numbers = await loadNumbers(
    db,
    group.map(({ target }) => target),
  )
  const matches = await findMatches(counting, group[0]?.filters ?? [])
  for (const counted of group) {
    targets.set(counted, await countTarget(db, counted, { matches, targets: { dataset, numbers, userId: query.userId } }))
  }
}

interface CountedQueues {
  /** How many match, in whatever queue. */
  size: number
  by_status: Counts['by_status']
}

async function countQueues(counting: Counting): Promise<CountedQueues> {
  const { dataset, query, bits } = counting
  const matches = await findMatches(counting, query.filters)
  if (matches.kind === 'all') return { size: dataset.records_count, by_status: await countQueuesOfAll(counting) }
  if (matches.kind === 'few') return { size: matches.size, by_status: await countQueuesOfFew(counting) }
  const by_status = { ...NO_COUNTS }
  for (const queue of QUEUES) by_status[queue] = countBits(await bits.of([...query.filters, ...toQueueFilters(queue)]))
  return { size: countBits(matches.bits), by_status }
}

/** Kept totals know how many records wait, and an index how many responses there are. */
async function countQueuesOfAll(counting: Counting): Promise<Counts['by_status']> {
  const { db, dataset, query } = counting
  const theirs = sql`responses p where p.dataset_id = ${dataset.id} and p.user_id = ${query.userId}`
  return { ...NO_COUNTS, ...(await countResponses(db, theirs)), pending: await countWaitingOfAll(counting) }
}

async function countWaitingOfAll({ db, dataset, query, bits }: Counting): Promise<number> {
  const waiting = toQueueFilters('pending')
  // The targets are counted in this queue: its records are read anyway.
  const isRead = query.queue === 'pending' && query.targets.length > 0
  if (isRead && !(await bits.leavesFew(waiting))) return countBits(await bits.of(waiting))
  const plan = await toPlan(db, dataset, toSearch(query, waiting))
  return plan === null ? 0 : countMatches(plan)
}

async function countQueuesOfFew({ db, query: { userId } }: Counting): Promise<Counts['by_status']> {
  const theirs = sql`responses p on p.record_no = m.no and p.user_id = ${userId}`
  const waiting = sql`select count(*) as size from ${raw(TABLE)} m cross join records r on r.no = m.no
    where r.status = 'pending' and not exists (select 1 from responses p where p.record_no = m.no and p.user_id = ${userId})`
  const answered = await countResponses(db, sql`${raw(TABLE)} m cross join ${theirs}`)
  return { ...NO_COUNTS, ...answered, pending: await countRows(db, waiting) }
}

async function countResponses(db: Queryable, { text, params }: SqlPart): Promise<Partial<Record<Queue, number>>> {
  const rows = await db.sql.all<{ status: Queue; size: number }>(
    `select p.status, count(*) as size from ${text} group by p.status`,
    params,
  )
  return Object.fromEntries(rows.map(({ status, size }) => [status, size]))
}
