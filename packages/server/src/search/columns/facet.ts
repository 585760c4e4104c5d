/** Facets: counts how often each value of a column occurs among some ordinals, in one pass. */
import { type BucketKind, type BucketPlan, bucketOf, planBuckets, toBuckets } from '@postil/domain/search/buckets'
import { compareText } from '@postil/domain/search/compare-text'
import { COUNTED_VALUES_MAX, type TargetCount } from '@postil/domain/search/counts'
import { sortByKey } from '../sort-by-key.ts'
import { type KeywordColumn, SEVERAL } from './keyword-column.ts'
import type { Bounds, NumberColumn } from './number-column.ts'

interface CountedValue {
  value: string
  count: number
}

export function countWords(column: KeywordColumn, ordinals: Uint32Array, valuesMax = COUNTED_VALUES_MAX): TargetCount {
  const counts = countCodes(column, ordinals)
  const values = listTopWords(column, counts, valuesMax)
  return { values, other: sumOf(counts) - values.reduce((sum, { count }) => sum + count, 0) }
}

/** Returns counts indexed by code. Missing values are not counted. */
function countCodes(column: KeywordColumn, ordinals: Uint32Array): Uint32Array {
  const counts = new Uint32Array(column.dictionary.size + 1)
  if (column.lists.isEmpty) countSingleCodes(counts, column.codes, ordinals)
  else countListedCodes(counts, column, ordinals)
  counts[0] = 0
  return counts
}

function countSingleCodes(counts: Uint32Array, codes: Uint32Array, ordinals: Uint32Array): void {
  for (let i = 0; i < ordinals.length; i++) {
    const code = codes[ordinals[i] as number] ?? 0
    counts[code] = (counts[code] as number) + 1
  }
}

function countListedCodes(counts: Uint32Array, { codes, lists: { data } }: KeywordColumn, ordinals: Uint32Array): void {
  for (let i = 0; i < ordinals.length; i++) {
    const code = codes[ordinals[i] as number] ?? 0
    if (code < SEVERAL) {
      counts[code] = (counts[code] as number) + 1
      continue
    }
    const position = code - SEVERAL
    const end = position + (data[position] as number)
    for (let j = position + 1; j <= end; j++) counts[data[j] as number] = (counts[data[j] as number] as number) + 1
  }
}

function sumOf(counts: Uint32Array): number {
  let sum = 0
  for (let i = 0; i < counts.length; i++) sum += counts[i] as number
  return sum
}

/** Returns the most frequent words first. Words with equal counts are in code point order. */
function listTopWords({ dictionary }: KeywordColumn, counts: Uint32Array, limit: number): CountedValue[] {
  const codes = dictionary.sorted().filter(code => counts[code] !== 0)
  const keys = new Float64Array(codes.length)
  for (let i = 0; i < codes.length; i++) keys[i] = -(counts[codes[i] as number] as number)
  const top = sortByKey(codes, keys).slice(0, limit)
  return Array.from(top, code => ({ value: dictionary.wordOf(code), count: counts[code] as number }))
}

export function countNumbers(column: NumberColumn, ordinals: Uint32Array, as: BucketKind): TargetCount {
  const bounds = column.bounds()
  // Bucket bounds depend on the numbers of all records, not only on the matches.
  if (bounds === null) return { min: null, max: null, buckets: [] }
  return countBuckets(column, ordinals, planBuckets(bounds.min, bounds.max, as))
}

/** Counts each distinct number. Used for ratings, which have few values. */
export function countEach(column: NumberColumn, ordinals: Uint32Array, valuesMax = COUNTED_VALUES_MAX): TargetCount {
  const counts = new Map<number, number>()
  const add = (value: number) => counts.set(value, (counts.get(value) ?? 0) + 1)
  for (const ordinal of ordinals) {
    if (column.several.has(ordinal)) new Set(column.valuesAt(ordinal)).forEach(add)
    else if (!Number.isNaN(column.values[ordinal] ?? Number.NaN)) add(column.values[ordinal] as number)
  }
  const values = [...counts].map(([value, count]) => ({ value: String(value), count }))
  values.sort((left, right) => right.count - left.count || compareText(left.value, right.value))
  const other = values.slice(valuesMax).reduce((sum, { count }) => sum + count, 0)
  return { values: values.slice(0, valuesMax), other }
}

/** Counts the records in each bucket. A record with several numbers in the same bucket counts once. */
function countBuckets(column: NumberColumn, ordinals: Uint32Array, plan: BucketPlan): TargetCount {
  const counts = new Uint32Array(plan.count)
  const { min, max } = column.lists.isEmpty
    ? countSingleNumbers(counts, column.values, ordinals, plan)
    : countListedNumbers(counts, column, ordinals, plan)
  const buckets = toBuckets(plan, new Map(counts.entries()))
  return min > max ? { min: null, max: null, buckets } : { min, max, buckets }
}

/** Inlines the formula of `bucketOf`, which makes the loop several times faster. */
function countSingleNumbers(counts: Uint32Array, values: Float64Array, ordinals: Uint32Array, plan: BucketPlan): Bounds {
  const { start, step, parts } = plan
  const last = plan.count - 1
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i < ordinals.length; i++) {
    const value = values[ordinals[i] as number] ?? Number.NaN
    if (value < min) min = value
    if (value > max) max = value
    const bucket = Math.min(last, Math.floor(((value - start) * parts) / step))
    // Scores below 0 and missing numbers are in no bucket.
    if (bucket >= 0) counts[bucket | 0] = (counts[bucket | 0] as number) + 1
  }
  return { min, max }
}

function countListedNumbers(counts: Uint32Array, column: NumberColumn, ordinals: Uint32Array, plan: BucketPlan): Bounds {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i < ordinals.length; i++) {
    const values = column.valuesAt(ordinals[i] as number)
    let counted = 0
    for (const value of values) {
      if (value < min) min = value
      if (value > max) max = value
      const bucket = bucketOf(value, plan)
      if (!(bucket >= 0)) continue
      if (((counted >>> bucket) & 1) === 0) counts[bucket] = (counts[bucket] as number) + 1
      counted |= 1 << bucket
    }
  }
  return { min, max }
}
