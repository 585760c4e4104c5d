/**
 * Filters as SQL, each in two forms: the numbers of all records that match (`set`), from an index made for it, and a question
 * about one record (`holds`). A search runs through the smallest set and asks the others' questions; SQLite, left to choose,
 * walks whole datasets.
 */
import { RESPONSE_STATUSES } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { Existing, Filter, Range, Target } from '@postil/domain/search/query'
import { numberBucket } from '../../lib/number-bucket.ts'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { bound, joinParts, raw, type SqlPart, sql } from './sql-part.ts'

export interface Condition {
  /** Selects `no`; null when there is no shorter way than all records. */
  set: SqlPart | null
  /** Selects `no` of all records that do not match, where an index knows those instead. */
  unset: SqlPart | null
  /** True when no record can be in the set twice. */
  isUnique: boolean
  /** True or false for the record with the number that this SQL stands for. */
  holds(no: SqlPart): SqlPart
}

/** What the translation of filters and sorts needs to know. */
export interface TargetNumbers {
  dataset: SearchedDataset
  /** Numbers of metadata properties and questions by id. */
  numbers: ReadonlyMap<Id, number>
  /** Responses of this user only; null: of everybody. */
  userId: Id | null
}

/** Ratings are whole numbers up to ten and kept as text, among the labels: a range is a list of them. */
const RATINGS = Array.from({ length: 11 }, (_, i) => i)

/** Numbers of the properties and questions that these look at. */
export async function loadNumbers(
  db: Queryable,
  targets: readonly (Target | Existing | { kind: 'response_status' })[],
): Promise<Map<Id, number>> {
  const numbers = new Map<Id, number>()
  for (const target of targets) {
    const table = target.kind === 'metadata' ? 'metadata_properties' : 'questions'
    for (const id of idsOf(target)) {
      if (numbers.has(id)) continue
      const row = await db.sql.get<{ no: number }>(`select no from ${table} where id = ?`, [id])
      if (row) numbers.set(id, row.no)
    }
  }
  return numbers
}

function idsOf(target: Target | Existing | { kind: 'response_status' }): Id[] {
  if ('propertyId' in target) return [target.propertyId]
  if ('questionIds' in target) return target.questionIds
  return 'questionId' in target ? [target.questionId] : []
}

/** What a filter looks at, to know the numbers of. */
export function targetsOf(filter: Filter): (Target | Existing)[] {
  if (filter.kind === 'exists') return [filter.of]
  return 'target' in filter ? [filter.target] : []
}

/** What a record's own columns must be, on the alias `r`; null for filters that look elsewhere. */
export function toRecordPart(filter: Filter): SqlPart | null {
  if (!('target' in filter) || filter.target.kind !== 'record') return null
  return toComparison(raw(`r.${filter.target.property}`), filter)
}

/** Not for filters on the record itself, nor for `nothing`. */
export function toCondition(filter: Filter, context: TargetNumbers): Condition | null {
  if (filter.kind === 'response_status') return toStatusCondition(filter, context)
  if (filter.kind === 'exists') return toExistsCondition(filter, context)
  if (filter.kind === 'nothing') return null
  const { target } = filter
  switch (target.kind) {
    case 'record':
      return null
    case 'metadata': {
      const table = raw(target.as === 'number' ? 'metadata_numbers' : 'metadata_terms')
      const owner = sql`x.property_no = ${context.numbers.get(target.propertyId) ?? -1}`
      const buckets = filter.kind === 'number_ranges' ? toBuckets(filter.ranges) : raw('true')
      const compare = (sign: '' | '+') =>
        sign === '+' ? toComparison(raw('+x.value'), filter) : sql`${buckets} and ${toComparison(raw('x.value'), filter)}`
      return fromTable(table, [owner], compare, isOneToOne(filter))
    }
    case 'suggestion': {
      const owner = sql`x.question_no = ${context.numbers.get(target.questionId) ?? -1}`
      const { property } = target
      if (property === 'value') {
        return fromTable(raw('suggestion_terms'), [owner], sign => toTermComparison(sign, filter), isOneToOne(filter))
      }
      const comparison = property === 'score' ? toScoreComparison(filter) : toComparison(raw(`x.${property}`), filter)
      return fromTable(raw('suggestions'), [owner], () => comparison, true)
    }
    case 'response': {
      const owners = [sql`x.question_no = ${context.numbers.get(target.questionId) ?? -1}`, ...ofUser(context)]
      const isUnique = context.userId !== null && isOneToOne(filter)
      return fromTable(raw('response_terms'), owners, sign => toTermComparison(sign, filter), isUnique)
    }
  }
}

/**
 * The two forms. A question finds a record's few values by its number; the plus before a value keeps SQLite from seeking each
 * of the values that are asked for instead.
 */
function fromTable(table: SqlPart, owners: SqlPart[], compare: (sign: '' | '+') => SqlPart, isUnique: boolean): Condition {
  const listed = joinParts([...owners, compare('')], 'and')
  const probed = joinParts([...owners, compare('+')], 'and')
  return {
    set: sql`select x.record_no as no from ${table} x where ${listed}`,
    unset: null,
    isUnique,
    holds: no => sql`exists (select 1 from ${table} x where x.record_no = ${no} and ${probed})`,
  }
}

const ofUser = ({ userId }: TargetNumbers): SqlPart[] => (userId === null ? [] : [sql`x.user_id = ${userId}`])

/** True when no record can be found twice: numbers stand alone, and one text is in a record once. */
function isOneToOne(filter: Filter): boolean {
  if (filter.kind === 'number_ranges') return filter.target.kind === 'metadata' || ratingsWithin(filter.ranges).length < 2
  return filter.kind === 'values' && new Set(filter.values).size < 2
}

function toStatusCondition(filter: Extract<Filter, { kind: 'response_status' }>, context: TargetNumbers): Condition {
  const { statuses, pending } = filter
  const owners = ofUser(context)
  const answered = joinParts([sql`x.dataset_id = ${context.dataset.id}`, ...owners, sql`x.status in (${bound(statuses)})`], 'and')
  const some = fromTable(raw('responses'), [], () => answered, context.userId !== null)
  if (!pending) return some
  const none = (no: SqlPart) =>
    sql`not exists (select 1 from responses x where ${joinParts([sql`x.record_no = ${no}`, ...owners], 'and')})`
  const holds = (no: SqlPart) => (statuses.length === 0 ? none(no) : sql`(${none(no)} or ${some.holds(no)})`)
  // A user has one response to a record; of everybody's one may do where another does not.
  const others = RESPONSE_STATUSES.filter(status => !statuses.includes(status))
  const refused = joinParts([sql`x.dataset_id = ${context.dataset.id}`, ...owners, sql`x.status in (${bound(others)})`], 'and')
  const unset = context.userId === null ? null : sql`select x.record_no as no from responses x where ${refused}`
  return { set: null, unset, isUnique: true, holds }
}

function toExistsCondition(filter: Extract<Filter, { kind: 'exists' }>, context: TargetNumbers): Condition {
  const has = toHaving(filter.of, context)
  return filter.exists ? has : { set: null, unset: has.set, isUnique: true, holds: no => sql`not (${has.holds(no)})` }
}

function toHaving(of: Existing, context: TargetNumbers): Condition {
  const noOf = (id: Id) => context.numbers.get(id) ?? -1
  const any = () => raw('true')
  switch (of.kind) {
    case 'metadata': {
      const isNumber = of.as === 'number'
      const table = raw(isNumber ? 'metadata_numbers' : 'metadata_terms')
      return fromTable(table, [sql`x.property_no = ${noOf(of.propertyId)}`], any, isNumber)
    }
    case 'suggestion': {
      const owner = sql`x.question_no in (${bound(of.questionIds.map(noOf))})`
      return fromTable(raw('suggestions'), [owner], any, of.questionIds.length < 2)
    }
    case 'response':
      return fromTable(raw('response_terms'), [sql`x.question_no = ${noOf(of.questionId)}`, ...ofUser(context)], any, false)
    case 'flag': {
      // Flags know records by their ids. They are few, so that all are looked up once instead of one for each record.
      const where = joinParts([sql`f.dataset_id = ${context.dataset.id}`, ...ofUser(context)], 'and')
      const set = sql`select f.no as no from record_flags x cross join records f on f.id = x.record_id where ${where}`
      return { set, unset: null, isUnique: context.userId !== null, holds: no => sql`${no} in (${set})` }
    }
  }
}

function toComparison(value: SqlPart, filter: Filter): SqlPart {
  if (filter.kind === 'values') return sql`${value} in (${bound([...new Set(filter.values)])})`
  if (filter.kind === 'text_ranges' || filter.kind === 'number_ranges') return toRanges(value, filter.ranges)
  return raw('false')
}

/** Up to 250 numbers may be asked for: those that are meant exactly become one list. */
function toRanges(value: SqlPart, ranges: readonly Range<string | number>[]): SqlPart {
  const exact = ranges.flatMap(({ from, to }) => (from !== null && from === to ? [from] : []))
  const parts = ranges.filter(({ from, to }) => from === null || from !== to).map(range => toRange(value, range))
  if (exact.length > 0) parts.push(sql`${value} in (${bound([...new Set(exact)])})`)
  return joinParts(parts, 'or')
}

/** From the lowest bucket that is asked for to the highest: where the index is read. */
function toBuckets(ranges: readonly Range<number>[]): SqlPart {
  const from = Math.min(...ranges.map(range => (range.from === null ? 0 : numberBucket(range.from))))
  const to = Math.max(...ranges.map(range => (range.to === null ? 0xffff : numberBucket(range.to))))
  return sql`x.bucket between ${from} and ${to}`
}

function toRange(value: SqlPart, { from, to }: Range<string | number>): SqlPart {
  const parts = [...(from === null ? [] : [sql`${value} >= ${from}`]), ...(to === null ? [] : [sql`${value} <= ${to}`])]
  return parts.length === 0 ? sql`${value} is not null` : joinParts(parts, 'and')
}

/** Labels and ratings are texts of one table. */
function toTermComparison(sign: '' | '+', filter: Filter): SqlPart {
  const value = raw(`${sign}x.value`)
  if (filter.kind !== 'number_ranges') return toComparison(value, filter)
  return sql`${value} in (${bound(ratingsWithin(filter.ranges))})`
}

function ratingsWithin(ranges: readonly Range<number>[]): string[] {
  const isWithin = (rating: number) =>
    ranges.some(({ from, to }) => (from === null || rating >= from) && (to === null || rating <= to))
  return RATINGS.filter(isWithin).map(String)
}

/** Most suggestions have one score. Of a list's scores any may be meant; only if neither end says so is it read. */
function toScoreComparison(filter: Filter): SqlPart {
  if (filter.kind !== 'number_ranges') return raw('false')
  const parts = filter.ranges.map(range => {
    const overlaps = joinParts(
      [
        ...(range.from === null ? [] : [sql`x.score_max >= ${range.from}`]),
        ...(range.to === null ? [] : [sql`x.score_min <= ${range.to}`]),
        raw('x.score_max is not null'),
      ],
      'and',
    )
    const [min, max] = [toRange(raw('x.score_min'), range), toRange(raw('x.score_max'), range)]
    // The list is fetched by the record's number, so that everything else can be read from an index.
    const one = sql`exists (select 1 from suggestions y, json_each(y.score) e where y.record_no = x.record_no
      and y.question_no = x.question_no and ${toRange(raw('e.value'), range)})`
    return sql`(${overlaps} and (${min} or ${max} or ${one}))`
  })
  return joinParts(parts, 'or')
}
