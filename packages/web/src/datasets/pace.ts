/** The user's working speed today. It is stored in the browser and not shown to others. */
import type { Items } from '../storage/items.ts'

export interface Pace {
  /** Times of today's submissions, in order. */
  times: readonly number[]
}

export interface PaceLine {
  today: number
  /** Null until there is enough data. */
  perHour: number | null
  /** Median time per record, in seconds. Null until there is enough data. */
  medianSeconds: number | null
  /** Estimated time left, in hours and minutes. Both are 0 if nothing is left or no estimate is possible. */
  hours: number
  minutes: number
}

/** Gaps longer than `PAUSE_MS` do not count as work. Submissions within `BURST_MS` of each other count as one action. */
const PAUSE_MS = 5 * 60_000
const BURST_MS = 400
const ENOUGH = 5
const TIMES_MAX = 5_000

export const startOfDay = (now: number) => new Date(now).setHours(0, 0, 0, 0)

export const withSubmit = ({ times }: Pace, now: number): Pace => ({
  times: [...times.filter(time => time >= startOfDay(now)), now].slice(-TIMES_MAX),
})

export function describePace({ times }: Pace, pending: number): PaceLine {
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? time))
  const worked = gaps.filter(gap => gap >= BURST_MS && gap <= PAUSE_MS)
  const total = worked.reduce((sum, gap) => sum + gap, 0)
  if (worked.length < ENOUGH || total === 0)
    return { today: times.length, perHour: null, medianSeconds: null, hours: 0, minutes: 0 }
  const each = total / worked.length
  // At least 1 minute while records are left. Above ten hours, an estimate in minutes would be false precision.
  const exact = pending === 0 ? 0 : Math.max(1, Math.round((each * pending) / 60_000))
  const minutes = exact < 600 ? exact : 60 * Math.round(exact / 60)
  const perHour = Math.round(3_600_000 / each)
  const medianSeconds = Math.round(medianOf(worked) / 1_000)
  return { today: times.length, perHour, medianSeconds, hours: Math.floor(minutes / 60), minutes: minutes % 60 }
}

function medianOf(gaps: readonly number[]): number {
  const sorted = gaps.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

const nameOf = (datasetId: string) => `pace.${datasetId}`

export function readPace(items: Items, datasetId: string, now = Date.now()): Pace {
  const times = items.read(nameOf(datasetId))
  return { times: Array.isArray(times) ? times.filter(time => typeof time === 'number' && time >= startOfDay(now)) : [] }
}

export const storePace = (items: Items, datasetId: string, { times }: Pace) => items.keep(nameOf(datasetId), times)
