/** Reference implementation of counts over plain documents, slow and simple. Tests compare every engine with it. */
import { type BucketKind, bucketOf, planBuckets, toBuckets } from './buckets.ts'
import { compareText } from './compare-text.ts'
import {
  COUNTED_VALUES_MAX,
  type CountQuery,
  type Counts,
  NO_COUNTS,
  type Queue,
  type TargetCount,
  toQueueFilters,
} from './counts.ts'
import type { SearchDocument, SearchValue } from './document.ts'
import { matchesFilter, valuesOf } from './naive.ts'
import type { Filter } from './query.ts'
import { matchesText } from './text-match.ts'

export function countNaively(documents: readonly SearchDocument[], query: CountQuery): Counts {
  const { text, userId } = query
  const found = documents.filter(document => text === null || matchesText(text.tree, document.text, text.field))
  const under = (filters: Filter[]) => found.filter(document => filters.every(filter => matchesFilter(document, filter, userId)))
  const inQueue = (queue: Queue | null) => under([...query.filters, ...toQueueFilters(queue)]).length
  return {
    total: inQueue(query.queue),
    by_status: { ...NO_COUNTS, ...Object.fromEntries(query.queues.map(queue => [queue, inQueue(queue)])) },
    targets: query.targets.map(counted => {
      // A value counts once per record, even if two spans have the same label.
      const valuesIn = (list: SearchDocument[]) => list.map(document => [...new Set(valuesOf(document, counted.target, userId))])
      const values = valuesIn(under(counted.filters))
      return counted.as === 'values'
        ? countValues(values, counted.valuesMax)
        : countNumbers(values, valuesIn([...documents]), counted.as)
    }),
  }
}

function countValues(values: readonly SearchValue[][], valuesMax = COUNTED_VALUES_MAX): TargetCount {
  const counts = tally(values.flat().map(String))
  const ordered = [...counts].map(([value, count]) => ({ value, count }))
  ordered.sort((left, right) => right.count - left.count || compareText(left.value, right.value))
  const rest = ordered.slice(valuesMax)
  return { values: ordered.slice(0, valuesMax), other: rest.reduce((sum, { count }) => sum + count, 0) }
}

/** Bucket limits depend on the numbers of all records, not only of the matches. */
function countNumbers(values: readonly SearchValue[][], all: readonly SearchValue[][], kind: BucketKind): TargetCount {
  const known = all.flat().map(Number)
  if (known.length === 0) return { min: null, max: null, buckets: [] }
  const plan = planBuckets(Math.min(...known), Math.max(...known), kind)
  const numbers = values.flat().map(Number)
  // Counts the records with a number in the bucket, not the numbers.
  const buckets = values.flatMap(ofRecord => [...new Set(ofRecord.map(value => bucketOf(Number(value), plan)))])
  const isNone = numbers.length === 0
  const [min, max] = isNone ? [null, null] : [Math.min(...numbers), Math.max(...numbers)]
  return { min, max, buckets: toBuckets(plan, tally(buckets)) }
}

function tally<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
