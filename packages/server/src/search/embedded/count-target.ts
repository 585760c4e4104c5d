/** How often each value of one target occurs, among all records or among those that were gathered (counts.ts). */
import { type BucketPlan, planBuckets, toBuckets } from '@postil/domain/search/buckets'
import { COUNTED_VALUES_MAX, type CountedTarget, type TargetCount } from '@postil/domain/search/counts'
import type { Target } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { TargetNumbers } from './conditions.ts'
import { joinParts, raw, type SqlPart, sql } from './sql-part.ts'

interface Among {
  /** Null for all records. */
  matches: { table: string; isFew: boolean } | null
  targets: TargetNumbers
}

/** Where the values of a target lie, on the alias `x`. */
interface Source {
  table: string
  where: SqlPart
  value: SqlPart
}

export function countTarget(db: Queryable, { target, as }: CountedTarget, among: Among): Promise<TargetCount> {
  const source = sourceOf(target, among.targets)
  if (as === 'values') return countValues(db, source, among)
  return as === 'score' ? countScores(db, source, among) : countNumbers(db, source, among, as)
}

function sourceOf(target: Target, { numbers, userId }: TargetNumbers): Source {
  switch (target.kind) {
    case 'metadata': {
      const table = target.as === 'number' ? 'metadata_numbers' : 'metadata_terms'
      return { table, where: sql`x.property_no = ${numbers.get(target.propertyId) ?? -1}`, value: raw('x.value') }
    }
    case 'suggestion': {
      const where = sql`x.question_no = ${numbers.get(target.questionId) ?? -1}`
      if (target.property === 'value') return { table: 'suggestion_terms', where, value: raw('x.value') }
      const column = target.property === 'score' ? 'score_min' : target.property
      return { table: 'suggestions', where: sql`${where} and x.${raw(column)} is not null`, value: raw(`x.${column}`) }
    }
    case 'response': {
      const where = sql`x.question_no = ${numbers.get(target.questionId) ?? -1} and x.user_id = ${userId}`
      return { table: 'response_terms', where, value: raw('x.value') }
    }
    case 'record':
      throw new Error('Values of the record itself are not counted')
  }
}

/** `from … where …` over a source's rows of the records that match. */
function fromSource({ table, where }: Source, { matches }: Among, also: SqlPart = raw('true')): SqlPart {
  const rows = joinParts([where, also], 'and')
  if (matches === null) return sql`from ${raw(table)} x where ${rows}`
  if (!matches.isFew) return sql`from ${raw(table)} x where ${rows} and +x.record_no in (select no from ${raw(matches.table)})`
  return sql`from ${raw(matches.table)} m cross join ${raw(table)} x on x.record_no = m.no where ${rows}`
}

async function countValues(db: Queryable, source: Source, among: Among): Promise<TargetCount> {
  const { text, params } = sql`select ${source.value} as value, count(*) as count, sum(count(*)) over () as total
    ${fromSource(source, among)} group by ${source.value} order by count(*) desc, ${source.value} limit ${COUNTED_VALUES_MAX}`
  const rows = await db.sql.all<{ value: string; count: number; total: number }>(text, params)
  const listed = rows.reduce((sum, row) => sum + row.count, 0)
  return { values: rows.map(({ value, count }) => ({ value, count })), other: (rows[0]?.total ?? 0) - listed }
}

/** A bucket of what matches, with its smallest and largest number. */
interface Counted {
  bucket: number
  size: number
  min: number
  max: number
}

/** The buckets are laid over all numbers of the target: bars stay where they are while filters change. */
async function countNumbers(db: Queryable, source: Source, among: Among, kind: 'integer' | 'float'): Promise<TargetCount> {
  const bounds = await findBounds(db, source)
  if (bounds === null) return NO_NUMBERS
  const plan = planBuckets(bounds.min, bounds.max, kind)
  const { text, params } = sql`select ${bucketOf(raw('x.value'), plan)} as bucket, count(*) as size,
    min(x.value) as min, max(x.value) as max ${fromSource(source, among)} group by 1`
  return toNumbers(plan, await db.sql.all<Counted>(text, params))
}

/** In the index one has to look only at its two ends, where the numbers of one bucket are left to sort. */
async function findBounds(db: Queryable, { table, where }: Source): Promise<{ min: number; max: number } | null> {
  const end = (order: string) =>
    sql`(select x.value from ${raw(table)} x where ${where} order by x.bucket ${raw(order)}, x.value ${raw(order)} limit 1)`
  const { text, params } = sql`select ${end('asc')} as min, ${end('desc')} as max`
  const row = await db.sql.get<{ min: number | null; max: number | null }>(text, params)
  return row === undefined || row.min === null || row.max === null ? null : { min: row.min, max: row.max }
}

/** The bucket of suggestions with several scores, until each is looked at. */
const SEVERAL = -1

/** Most suggestions have one score; of a list each is looked at, and a record counts once in a bucket. */
async function countScores(db: Queryable, source: Source, among: Among): Promise<TargetCount> {
  const plan = planBuckets(0, 1, 'score')
  const bucket = sql`case when x.score_min = x.score_max then ${bucketOf(raw('x.score_min'), plan)} else ${SEVERAL} end`
  const { text, params } = sql`select ${bucket} as bucket, count(*) as size, min(x.score_min) as min, max(x.score_max) as max
    ${fromSource(source, among)} group by 1`
  const rows = await db.sql.all<Counted>(text, params)
  if (rows.length === 0 && !(await hasScores(db, source))) return NO_NUMBERS
  if (!rows.some(row => row.bucket === SEVERAL)) return toNumbers(plan, rows)
  return toNumbers(plan, [
    ...rows,
    ...(await listSeveral(db, plan, fromSource(source, among, raw('x.score_min <> x.score_max')))),
  ])
}

function listSeveral(db: Queryable, plan: BucketPlan, from: SqlPart): Promise<Counted[]> {
  const { text, params } = sql`select bucket, count(*) as size, min(min) as min, max(max) as max from (
      select l.record_no, ${bucketOf(raw('e.value'), plan)} as bucket, min(e.value) as min, max(e.value) as max
      from (select x.record_no, x.question_no ${from}) l
      cross join suggestions y on y.record_no = l.record_no and y.question_no = l.question_no, json_each(y.score) e
      group by 1, 2)
    group by bucket`
  return db.sql.all(text, params)
}

async function hasScores(db: Queryable, { table, where }: Source): Promise<boolean> {
  const { text, params } = sql`select 1 as found from ${raw(table)} x where ${where} limit 1`
  return (await db.sql.get(text, params)) !== undefined
}

const NO_NUMBERS: TargetCount = { min: null, max: null, buckets: [] }

function toNumbers(plan: BucketPlan, rows: readonly Counted[]): TargetCount {
  const counts = new Map<number, number>()
  for (const { bucket, size } of rows) if (bucket !== SEVERAL) counts.set(bucket, (counts.get(bucket) ?? 0) + size)
  const [min, max] = [Math.min(...rows.map(row => row.min)), Math.max(...rows.map(row => row.max))]
  return rows.length === 0
    ? { min: null, max: null, buckets: toBuckets(plan, counts) }
    : { min, max, buckets: toBuckets(plan, counts) }
}

const bucketOf = (value: SqlPart, { start, step, parts, count }: BucketPlan): SqlPart =>
  sql`min(${count - 1}, cast((${value} - ${start}) * ${parts} / ${step} as integer))`
