/** Converts filters to queries of the engines. None of them affects scores. */
import type { Id } from '@postil/domain/schema'
import type { Existing, Filter, Range, Target } from '@postil/domain/search/query'
import { toTimeRanges, toTimeValues } from '../columns/times.ts'
import type { Clause } from './flavour.ts'
import {
  answerPath,
  FLAGS,
  metadataPath,
  RESPONSE_STATUS,
  SUGGESTED,
  targetPath,
  toKeyword,
  toLowerBound,
  toUpperBound,
} from './keys.ts'
import { anyOf, MATCH_NONE, noneOf, withResponse } from './query-clauses.ts'

type ValueFilter = Extract<Filter, { target: Target }>

/** `userId` restricts responses and flags to one user; null for all users. */
export function toFilterClause(filter: Filter, userId: Id | null): Clause {
  switch (filter.kind) {
    case 'nothing':
      return MATCH_NONE
    case 'response_status':
      return toStatusClause(filter, userId)
    case 'exists': {
      const has = toExistsClause(filter.of, userId)
      return filter.exists ? has : noneOf([has])
    }
    default: {
      const clause = toValueClause(filter)
      return filter.target.kind === 'response' ? withResponse(userId, [clause]) : clause
    }
  }
}

function toStatusClause({ statuses, pending }: Extract<Filter, { kind: 'response_status' }>, userId: Id | null): Clause {
  const some = statuses.length === 0 ? [] : [withResponse(userId, [{ terms: { [RESPONSE_STATUS]: statuses } }])]
  return anyOf(pending ? [...some, noneOf([withResponse(userId, [])])] : some)
}

function toExistsClause(of: Existing, userId: Id | null): Clause {
  switch (of.kind) {
    case 'metadata':
      return { exists: { field: metadataPath(of.propertyId) } }
    case 'suggestion':
      return { terms: { [SUGGESTED]: of.questionIds } }
    case 'response':
      return withResponse(userId, [{ exists: { field: answerPath(of.questionId) } }])
    case 'flag':
      return userId === null ? { exists: { field: FLAGS } } : { term: { [FLAGS]: userId } }
  }
}

/** Clause for a value of the record or, in a nested query, of a response. */
function toValueClause(filter: ValueFilter): Clause {
  const path = targetPath(filter.target)
  if (filter.kind === 'number_ranges') return toRangesClause(path, filter.ranges)
  if (isTime(filter.target)) {
    return toRangesClause(path, filter.kind === 'values' ? toTimeValues(filter.values) : toTimeRanges(filter.ranges))
  }
  if (filter.kind === 'values') return { terms: { [path]: [...new Set(filter.values.map(toKeyword))] } }
  return toTextRanges(path, filter.ranges)
}

/** A range with equal ends is converted to a keyword lookup, which is exact even for long texts. */
function toTextRanges(path: string, ranges: readonly Range<string>[]): Clause {
  const toBounds = ({ from, to }: Range<string>): Range<string> =>
    from === to
      ? { from: from && toKeyword(from), to: to && toKeyword(to) }
      : { from: from && toLowerBound(from), to: to && toUpperBound(to) }
  return toRangesClause(path, ranges.map(toBounds))
}

const isTime = (target: Target): boolean =>
  target.kind === 'record' && (target.property === 'inserted_at' || target.property === 'updated_at')

/** Combines single values into one lookup, because every range is a separate clause and engines allow only about a thousand. */
function toRangesClause<T extends string | number>(path: string, ranges: readonly Range<T>[]): Clause {
  const values = new Set(ranges.flatMap(({ from, to }) => (from !== null && from === to ? [from] : [])))
  const wide = ranges.filter(({ from, to }) => from === null || from !== to)
  const clauses = wide.map(range => toRangeClause(path, range))
  return anyOf(values.size === 0 ? clauses : [{ terms: { [path]: [...values] } }, ...clauses])
}

function toRangeClause<T>(path: string, { from, to }: Range<T>): Clause {
  if (from === null && to === null) return { exists: { field: path } }
  return { range: { [path]: { ...(from === null ? {} : { gte: from }), ...(to === null ? {} : { lte: to }) } } }
}
