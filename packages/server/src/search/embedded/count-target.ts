/** How often each value of one target occurs among the records that match (counts.ts). */
import { type BucketKind, type BucketPlan, bucketOf, planBuckets, toBuckets } from '@postil/domain/search/buckets'
import { COUNTED_VALUES_MAX, type CountedTarget, type TargetCount } from '@postil/domain/search/counts'
import type { Target } from '@postil/domain/search/query'
import type { Queryable } from '../../storage/database.ts'
import type { TargetNumbers } from './conditions.ts'
import type { RecordBits } from './record-bits.ts'
import { joinParts, raw, type SqlPart, sql } from './sql-part.ts'

export type Matches =
  | { kind: 'all' }
  /** Their numbers lie in a table. */
  | { kind: 'few'; table: string; size: number }
  | { kind: 'many'; bits: RecordBits }

interface Among {
  matches: Matches
  targets: TargetNumbers
}

/** Where the values of a target lie, on the alias `x`. */
interface Source {
  table: string
  where: SqlPart
  value: SqlPart
  /** The order of the index that holds them: two readings of it fit together row by row. */
  order: SqlPart
}

export function countTarget(db: Queryable, counted: CountedTarget, among: Among): Promise<TargetCount> {
  const { target, as, valuesMax = COUNTED_VALUES_MAX } = counted
  const source = sourceOf(target, among.targets)
  if (as !== 'values') return as === 'score' ? countScores(db, source, among) : countNumbers(db, source, among, as)
  if (among.matches.kind === 'many') return countManyValues(db, source, among.matches.bits, valuesMax)
  return countValues(db, source, among, valuesMax)
}

function sourceOf(target: Target, { numbers, userId }: TargetNumbers): Source {
  const byValue = { value: raw('x.value'), order: raw('x.value, x.record_no') }
  switch (target.kind) {
    case 'metadata': {
      const where = sql`x.property_no = ${numbers.get(target.propertyId) ?? -1}`
      if (target.as === 'keyword') return { table: 'metadata_terms', where, ...byValue }
      return { table: 'metadata_numbers', where, value: raw('x.value'), order: raw('x.bucket, x.record_no') }
    }
    case 'suggestion': {
      const where = sql`x.question_no = ${numbers.get(target.questionId) ?? -1}`
      if (target.property === 'value') return { table: 'suggestion_terms', where, ...byValue }
      const column = target.property === 'score' ? 'score_min' : target.property
      const known = sql`${where} and x.${raw(column)} is not null`
      const order = raw(target.property === 'score' ? 'x.agent, x.record_no' : `x.${column}, x.record_no`)
      return { table: 'suggestions', where: known, value: raw(`x.${column}`), order }
    }
    case 'response': {
      const where = sql`x.question_no = ${numbers.get(target.questionId) ?? -1} and x.user_id = ${userId}`
      return { table: 'response_terms', where, ...byValue }
    }
    case 'record':
      throw new Error('Values of the record itself are not counted')
  }
}

/** `from … where …` over a source's rows: of the few records that match, or of all. */
function fromSource({ table, where }: Source, { matches }: Among, also: SqlPart = raw('true')): SqlPart {
  const rows = joinParts([where, also], 'and')
  if (matches.kind !== 'few') return sql`from ${raw(table)} x where ${rows}`
  return sql`from ${raw(matches.table)} m cross join ${raw(table)} x on x.record_no = m.no where ${rows}`
}

interface CountedValue {
  value: string
  count: number
}

async function countValues(db: Queryable, source: Source, among: Among, valuesMax: number): Promise<TargetCount> {
  const { text, params } = sql`select ${source.value} as value, count(*) as count, sum(count(*)) over () as total
    ${fromSource(source, among)} group by ${source.value} order by count(*) desc, ${source.value} limit ${valuesMax}`
  const rows = await db.sql.all<CountedValue & { total: number }>(text, params)
  const listed = rows.reduce((sum, row) => sum + row.count, 0)
  return { values: rows.map(({ value, count }) => ({ value, count })), other: (rows[0]?.total ?? 0) - listed }
}

/** The index is read twice: how many records have each value, and which they are. */
async function countManyValues(
  db: Queryable,
  { table, where, value, order }: Source,
  { first, bytes }: RecordBits,
  valuesMax: number,
): Promise<TargetCount> {
  const sizes = sql`select ${value} as value, count(*) as count from ${raw(table)} x where ${where} group by ${value} order by ${value}`
  const listed = sql`select x.record_no from ${raw(table)} x where ${where} order by ${order}`
  const all = await db.sql.all<CountedValue>(sizes.text, sizes.params)
  const nos = await db.sql.column<number>(listed.text, listed.params)
  let at = 0
  const counted = all.map(({ value, count }) => {
    let matching = 0
    for (const end = at + count; at < end; at++) matching += bytes[(nos[at] as number) - first] as number
    return { value, count: matching }
  })
  // Values are in their order already, which a sort by count leaves as it is.
  const values = counted.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
  const other = values.slice(valuesMax).reduce((sum, { count }) => sum + count, 0)
  return { values: values.slice(0, valuesMax), other }
}

/** One column of the rows whose records match. */
async function listColumn<Value>(db: Queryable, source: Source, among: Among, column: SqlPart): Promise<Value[]> {
  const read = <T>(wanted: SqlPart, order = raw('')): Promise<T[]> => {
    const { text, params } = sql`select ${wanted} ${fromSource(source, among)} ${order}`
    return db.sql.column(text, params)
  }
  if (among.matches.kind !== 'many') return read(column)
  const order = sql`order by ${source.order}`
  const { first, bytes } = among.matches.bits
  const nos = await read<number>(raw('x.record_no'), order)
  return (await read<Value>(column, order)).filter((_, i) => bytes[(nos[i] as number) - first] === 1)
}

/** The buckets are laid over all numbers of the target: bars stay where they are while filters change. */
async function countNumbers(
  db: Queryable,
  source: Source,
  among: Among,
  kind: Exclude<BucketKind, 'score'>,
): Promise<TargetCount> {
  const bounds = await findBounds(db, source)
  if (bounds === null) return NO_NUMBERS
  return tally(planBuckets(bounds.min, bounds.max, kind), await listColumn<number>(db, source, among, source.value))
}

/** In the index one has to look only at its two ends, where the numbers of one bucket are left to sort. */
async function findBounds(db: Queryable, { table, where }: Source): Promise<{ min: number; max: number } | null> {
  const end = (order: string) =>
    sql`(select x.value from ${raw(table)} x where ${where} order by x.bucket ${raw(order)}, x.value ${raw(order)} limit 1)`
  const { text, params } = sql`select ${end('asc')} as min, ${end('desc')} as max`
  const row = await db.sql.get<{ min: number | null; max: number | null }>(text, params)
  return row === undefined || row.min === null || row.max === null ? null : { min: row.min, max: row.max }
}

/** Most suggestions have one score, which the index holds; lists of them (null here) are read one by one. */
async function countScores(db: Queryable, source: Source, among: Among): Promise<TargetCount> {
  const single = raw('case when x.score_min = x.score_max then x.score_min end')
  const found = await listColumn<number | null>(db, source, among, single)
  if (found.length === 0 && !(await hasScores(db, source))) return NO_NUMBERS
  const scores = found.filter(score => score !== null)
  const lists = scores.length === found.length ? [] : await listSeveral(db, source, among)
  return tally(planBuckets(0, 1, 'score'), scores, lists)
}

async function listSeveral(db: Queryable, source: Source, among: Among): Promise<number[][]> {
  const { text, params } = sql`select x.record_no, x.score ${fromSource(source, among, raw('x.score_min <> x.score_max'))}`
  const rows = await db.sql.all<{ record_no: number; score: string }>(text, params)
  const { matches } = among
  const isMatch = (no: number) => matches.kind !== 'many' || matches.bits.bytes[no - matches.bits.first] === 1
  return rows.filter(row => isMatch(row.record_no)).map(row => JSON.parse(row.score) as number[])
}

async function hasScores(db: Queryable, { table, where }: Source): Promise<boolean> {
  const { text, params } = sql`select 1 as found from ${raw(table)} x where ${where} limit 1`
  return (await db.sql.get(text, params)) !== undefined
}

const NO_NUMBERS: TargetCount = { min: null, max: null, buckets: [] }

/** Numbers of one record each, and `lists` of several: a record counts once in a bucket, however many of its numbers are there. */
function tally(plan: BucketPlan, numbers: readonly number[], lists: readonly number[][] = []): TargetCount {
  const counts = new Array<number>(plan.count).fill(0)
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const place = (number: number) => {
    if (number < min) min = number
    if (number > max) max = number
    return bucketOf(number, plan)
  }
  const add = (bucket: number) => {
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  for (const number of numbers) add(place(number))
  for (const list of lists) new Set(list.map(place)).forEach(add)
  const buckets = toBuckets(plan, new Map(counts.entries()))
  return min > max ? { min: null, max: null, buckets } : { min, max, buckets }
}
