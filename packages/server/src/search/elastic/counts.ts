/**
 * Counts as aggregations of the engines.
 *
 * The bounds of number buckets depend on all records. They are requested first, in a separate request, and only if something is
 * counted in buckets.
 */

import type { Id } from '@postil/domain/schema'
import { type BucketKind, type BucketPlan, planBuckets } from '@postil/domain/search/buckets'
import { COUNTED_VALUES_MAX, type CountedTarget, type CountQuery, toQueueFilters } from '@postil/domain/search/counts'
import type { Filter } from '@postil/domain/search/query'
import type { SearchedDataset } from '../engine.ts'
import { toBucketRanges } from './counts-buckets.ts'
import type { Clause } from './flavour.ts'
import { RESPONSES, targetPath } from './keys.ts'
import { toTextFilter } from './query.ts'
import { filterOf, toResponseClauses } from './query-clauses.ts'
import { toFilterClause } from './query-filters.ts'
import { toAcceptedQuery } from './query-limits.ts'

/** For each target of the query: the smallest and the largest number of all records, or null if there are none. */
export type CountBounds = readonly ({ min: number; max: number } | null)[]

/** For queries without number buckets. */
export const NO_BOUNDS: CountBounds = []

interface CountOptions {
  bounds: CountBounds
  /** Number of shards of the dataset's index. */
  shards: number
}

/** Ratings are sorted by their text, which engines do not support. There are few of them, so all are requested. */
const RATINGS_MAX = 1000
/** Engines reject responses with more than 65,535 values and buckets. */
const ANSWERED_MAX = 60_000
/**
 * With several shards, each shard returns more values than requested. Counts are exact if no shard has more distinct values than
 * this.
 */
const SHARD_VALUES_MAX = 20_000

const NO_HITS = { size: 0, track_total_hits: false }

export const boundName = (i: number, side: 'min' | 'max'): string => `${side}_${i}`
export const targetName = (i: number): string => `target_${i}`

/** Returns the body of the request for the bounds of number buckets, or null if nothing is counted in buckets. */
export function toBoundsRequest({ targets }: CountQuery): object | null {
  const aggs = targets.flatMap(({ target, as }, i) => {
    if (as === 'values') return []
    const of = { field: targetPath(target) }
    return [
      [boundName(i, 'min'), { min: of }],
      [boundName(i, 'max'), { max: of }],
    ]
  })
  return aggs.length === 0 ? null : { ...NO_HITS, aggs: Object.fromEntries(aggs) }
}

/** Returns the body of a count request. Throws `invalid` if the query exceeds a limit of the engine. */
export function toCountRequest(dataset: SearchedDataset, query: CountQuery, { bounds, shards }: CountOptions): object {
  const { text, filters, userId, queue, queues, targets } = query
  const under = (narrowed: readonly Filter[], aggs?: object) => ({
    filter: toAcceptedQuery(filterOf(narrowed.map(filter => toFilterClause(filter, userId)))),
    ...(aggs === undefined ? {} : { aggs }),
  })
  const valuesMax = shards === 1 ? 0 : Math.min(SHARD_VALUES_MAX, Math.floor(ANSWERED_MAX / Math.max(1, targets.length)))
  return {
    ...NO_HITS,
    query: toAcceptedQuery(filterOf(text === null ? [] : [toTextFilter(dataset, text)])),
    aggs: {
      total: under([...filters, ...toQueueFilters(queue)]),
      ...Object.fromEntries(queues.map(name => [name, under([...filters, ...toQueueFilters(name)])])),
      ...Object.fromEntries(
        targets.map((counted, i) => {
          const aggs =
            counted.as === 'values' ? toValues(counted, userId, valuesMax) : toNumbers(counted, toPlan(counted.as, bounds[i]))
          return [targetName(i), under(counted.filters, aggs)]
        }),
      ),
    },
  }
}

export const toPlan = (kind: BucketKind, bounds: CountBounds[number] | undefined): BucketPlan | null =>
  bounds == null ? null : planBuckets(bounds.min, bounds.max, kind)

export const valuesMaxOf = ({ valuesMax = COUNTED_VALUES_MAX }: CountedTarget): number => valuesMax

/** A user has at most one response to a record, so counting one user's responses counts records. */
function toValues(counted: CountedTarget, userId: Id, shardValuesMax: number): object {
  const { target } = counted
  const size = target.as === 'number' ? Math.max(RATINGS_MAX, valuesMaxOf(counted)) : valuesMaxOf(counted)
  const values = {
    terms: {
      field: targetPath(target),
      size,
      ...(shardValuesMax > size ? { shard_size: shardValuesMax } : {}),
      order: [{ _count: 'desc' }, { _key: 'asc' }],
    },
  }
  if (target.kind !== 'response') return { values }
  const own: Clause = filterOf(toResponseClauses(userId, []))
  return { responses: { nested: { path: RESPONSES }, aggs: { own: { filter: own, aggs: { values } } } } }
}

function toNumbers({ target }: CountedTarget, plan: BucketPlan | null): object {
  const field = targetPath(target)
  if (plan === null) return {}
  return { min: { min: { field } }, max: { max: { field } }, buckets: { range: { field, ranges: toBucketRanges(plan) } } }
}
