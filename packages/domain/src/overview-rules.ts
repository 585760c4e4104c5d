/** Calculations for the overview. Deterministic: the caller passes the current day. */
import type { Forecast } from './overview.ts'
import type { Json } from './schema.ts'

const DAY_MS = 86_400_000

/** Returns days since 1970 in a time zone that is `utcOffsetMinutes` ahead of UTC. */
export const toDay = (timeMs: number, utcOffsetMinutes: number): number =>
  Math.floor((timeMs + utcOffsetMinutes * 60_000) / DAY_MS)

/** Formats a day as `2026-11-18`. */
export const toDate = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** Longer gaps are breaks. Answers within a burst come from one action. */
const BREAK_MS = 5 * 60_000
const BURST_MS = 400
const GAPS_MIN = 5

/** Returns the milliseconds between consecutive answers, without breaks and bursts. `times` are in ascending order. */
export function gapsOf(times: Float64Array): Float64Array {
  const gaps = new Float64Array(times.length)
  let size = 0
  for (let i = 1; i < times.length; i++) {
    const gap = (times[i] as number) - (times[i - 1] as number)
    if (gap >= BURST_MS && gap <= BREAK_MS) gaps[size++] = gap
  }
  return gaps.subarray(0, size)
}

/** Returns null if there are too few gaps for a meaningful median. */
export function medianSeconds(gaps: Float64Array): number | null {
  const size = gaps.length
  if (size < GAPS_MIN) return null
  const sorted = gaps.toSorted()
  const median = ((sorted[(size - 1) >> 1] as number) + (sorted[size >> 1] as number)) / 2
  return Math.round(median / 100) / 10
}

/** Number of days that determine the pace, and the minimum of days required. */
export const PACE_DAYS = 14
const PACE_DAYS_MIN = 2
/** Standard errors on each side of an 80% confidence interval. */
const STANDARD_ERRORS_80_PERCENT = 1.28
/** Longest forecast. Anything later is not meaningful. */
const FORECAST_DAYS_MAX = 3_650

interface ForecastInput {
  /** Records completed on each day. The last entry is `today`. */
  completed: readonly number[]
  remaining: number
  /** Day number from `toDay`. */
  today: number
}

/** Forecasts from the last two weeks, starting at the first day on which a record was completed. */
export function forecastOf({ completed, remaining, today }: ForecastInput): Forecast | null {
  const recent = completed.slice(-PACE_DAYS)
  const worked = recent.slice(recent.findIndex(count => count > 0))
  const perDay = sumOf(worked) / worked.length
  if (remaining <= 0 || worked.length < PACE_DAYS_MIN || perDay === 0) return null
  const days = remaining / perDay
  if (days > FORECAST_DAYS_MAX) return null

  const variance = sumOf(worked.map(count => (count - perDay) ** 2)) / (worked.length - 1)
  const margin = STANDARD_ERRORS_80_PERCENT * Math.sqrt(variance / worked.length)
  const daysAt = (pace: number) => (pace <= 0 ? Number.POSITIVE_INFINITY : remaining / pace)
  const dateAfter = (days: number) => (days > FORECAST_DAYS_MAX ? null : toDate(today + Math.ceil(days)))
  return {
    per_day: Math.round(perDay * 10) / 10,
    date: dateAfter(days) as string,
    earliest: dateAfter(daysAt(perDay + margin)) as string,
    latest: dateAfter(daysAt(perDay - margin)),
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

export const SCORE_BUCKETS = 10

/** The last bucket includes 1. */
export const scoreBucketOf = (score: number): number =>
  Math.min(SCORE_BUCKETS - 1, Math.max(0, Math.floor(score * SCORE_BUCKETS + 1e-9)))

/** True if an answer equals the suggestion. The order of options, spans and ranks does not matter. */
export function isSameAnswer(left: Json, right: Json): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  return toPlain(left) === toPlain(right)
}

const PARTS = ['label', 'start', 'end', 'value', 'rank'] as const

function toPlain(value: Json): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(toPlain).sort())
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return JSON.stringify(PARTS.map(part => value[part] ?? null))
}
