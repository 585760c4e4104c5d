/** Counters over the values of records. */
import type { Json } from '../schema.ts'
import type { Document, Value } from './fields.ts'

export interface MetricOptions {
  /** Maximum number of listed values. */
  size: number | null
  /** The bucket width, or the minimum number of labels. */
  interval: number | null
}

export type MetricResult = { [key: string]: Json }

/** Receives each record of the query, then returns the result. */
export interface Counter {
  add(document: Document): void
  result(options: MetricOptions): MetricResult
}

/** Maximum number of distinct values that are counted. */
const VALUES_MAX = 100_000
const LISTED = 1_000
const LISTED_MAX = 5_000
/** A histogram with more buckets lists only those with values. */
const STEPS_MAX = 10_000

export type Counts = Map<string, number>

export function count(counts: Counts, value: string): void {
  const before = counts.get(value)
  if (before !== undefined || counts.size < VALUES_MAX) counts.set(value, (before ?? 0) + 1)
}

/** Sorts by count, highest first, then by value. */
export function toTerms(counts: Counts, size: number | null = null): Record<string, number> {
  const sorted = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return Object.fromEntries(sorted.slice(0, Math.min(size ?? LISTED, LISTED_MAX)))
}

export function countTerms(valuesOf: (document: Document) => readonly Value[], listed: number | null = null): Counter {
  const counts: Counts = new Map()
  return {
    add: document => {
      for (const value of valuesOf(document)) count(counts, String(value))
    },
    result: ({ size }) => toTerms(counts, size ?? listed),
  }
}

/** Counts by bucket, with the empty buckets between the smallest and the largest value. */
export function countSteps(valuesOf: (document: Document) => readonly number[], width: number): Counter {
  const counts = new Map<number, number>()
  const values: number[] = []
  const toStep = (value: number, step: number) => Math.floor(value / step + 1e-9)
  return {
    add: document => void values.push(...valuesOf(document)),
    result: ({ interval }) => {
      const step = interval ?? width
      for (const value of values) counts.set(toStep(value, step), (counts.get(toStep(value, step)) ?? 0) + 1)
      const filled = [...counts.keys()].sort((a, b) => a - b)
      const [first = 0, last = -1] = [filled[0], filled.at(-1)]
      const steps = last - first >= STEPS_MAX ? filled : Array.from({ length: last - first + 1 }, (_, i) => first + i)
      return Object.fromEntries(steps.map(number => [toFloatText(number * step), counts.get(number) ?? 0]))
    },
  }
}

/** Formats numbers like Python: `9.0`, `0.9`. */
function toFloatText(number: number): string {
  const rounded = Number(number.toFixed(6))
  return Number.isInteger(rounded) ? `${rounded}.0` : String(rounded)
}

interface Sums {
  count: number
  min: number
  max: number
  sum: number
  squares: number
}

const toTime = (value: Value) =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(value) ? Date.parse(value) : Number.NaN

/** Counts values per key; for decimals and dates, computes statistics. */
export function countMetadata(): Counter {
  const byKey = new Map<string, { counts: Counts; sums: Sums; isMeasured: boolean }>()
  const addValue = (key: string, value: Value) => {
    const entry = byKey.get(key) ?? {
      counts: new Map(),
      sums: { count: 0, min: Infinity, max: -Infinity, sum: 0, squares: 0 },
      isMeasured: false,
    }
    byKey.set(key, entry)
    count(entry.counts, String(value))
    const time = toTime(value)
    const number = typeof value === 'number' ? value : time
    if (Number.isNaN(number)) return
    entry.isMeasured ||= !Number.isInteger(value) || !Number.isNaN(time)
    const { sums } = entry
    entry.sums = {
      count: sums.count + 1,
      min: Math.min(sums.min, number),
      max: Math.max(sums.max, number),
      sum: sums.sum + number,
      squares: sums.squares + number ** 2,
    }
  }
  return {
    add: ({ record }) => {
      for (const [key, value] of Object.entries(record.metadata ?? {})) {
        if (key.startsWith('_')) continue
        for (const one of [value].flat()) if (one !== null && typeof one !== 'object') addValue(key, one)
      }
    },
    result: ({ size }) =>
      Object.fromEntries(
        [...byKey].map(([key, { counts, sums, isMeasured }]) => [
          key,
          isMeasured ? { 'argilla:stats': toStatistics(sums) } : toTerms(counts, size),
        ]),
      ),
  }
}

function toStatistics({ count: number, min, max, sum, squares }: Sums): MetricResult {
  const avg = sum / number
  const variance = Math.max(squares / number - avg ** 2, 0)
  return { count: number, min, max, avg, sum, sum_of_squares: squares, variance, std_deviation: Math.sqrt(variance) }
}
