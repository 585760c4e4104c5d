/**
 * The user's pace in a dataset: the server's numbers, which are the same in every browser, and what was answered here since.
 * Stored in the browser, so that a page that starts offline continues with them.
 */
import type { Pace as ServerPace } from '@postil/domain/pace'
import type { ResponseStatus } from '@postil/domain/responses'
import { parseTime } from '../i18n/i18n.ts'
import type { Write } from '../outbox/write.ts'
import type { Items } from '../storage/items.ts'

export interface Pace {
  /** Midnight of the day that `today` counts. */
  day: number
  today: number
  medianSeconds: number | null
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

/** A response with the time of its last change; null if there is none. */
export type TimedStatus = { status: ResponseStatus | null; changedAt: number } | null

export const startOfDay = (now: number) => new Date(now).setHours(0, 0, 0, 0)
/** Minutes by which this browser is ahead of UTC. */
export const utcOffset = () => -new Date().getTimezoneOffset()

export const NO_PACE: ServerPace = { today: 0, median_seconds: null }
export const toPace = ({ today, median_seconds }: ServerPace, now = Date.now()): Pace => ({
  day: startOfDay(now),
  today,
  medianSeconds: median_seconds,
})

/** Each record counts once, if its response was submitted today. */
export function withChange({ day, today, medianSeconds }: Pace, from: TimedStatus, to: TimedStatus, now = Date.now()): Pace {
  const start = startOfDay(now)
  const count = (one: TimedStatus) => Number(one?.status === 'submitted' && one.changedAt >= start)
  return { day: start, today: Math.max(0, (day === start ? today : 0) + count(to) - count(from)), medianSeconds }
}

/** Adds answers that wait in the outbox. They replace the responses that they are based on. */
export function withWaiting(pace: Pace, waiting: readonly Write[], now = Date.now()): Pace {
  const ofRecord = Map.groupBy(waiting, ({ recordId }) => recordId)
  return [...ofRecord.values()].reduce((sum, writes) => {
    const [first, last] = [writes[0], writes.at(-1)]
    const base = first?.base ? { status: first.baseStatus ?? null, changedAt: parseTime(first.base).getTime() } : null
    return withChange(sum, base, last ? { status: last.status, changedAt: last.madeAt } : null, now)
  }, pace)
}

export function describePace({ day, today: counted, medianSeconds }: Pace, pending: number, now = Date.now()): PaceLine {
  const today = day === startOfDay(now) ? counted : 0
  if (medianSeconds === null) return { today, perHour: null, medianSeconds: null, hours: 0, minutes: 0 }
  // At least 1 minute while records are left. Above ten hours, an estimate in minutes would be false precision.
  const exact = pending === 0 ? 0 : Math.max(1, Math.round((medianSeconds * pending) / 60))
  const minutes = exact < 600 ? exact : 60 * Math.round(exact / 60)
  return {
    today,
    perHour: Math.round(3_600 / medianSeconds),
    medianSeconds: Math.max(1, Math.round(medianSeconds)),
    hours: Math.floor(minutes / 60),
    minutes: minutes % 60,
  }
}

const nameOf = (datasetId: string) => `pace.${datasetId}`

export function readPace(items: Items, datasetId: string, now = Date.now()): Pace {
  const stored = items.read(nameOf(datasetId)) as Partial<Pace> | null
  const day = startOfDay(now)
  const today = typeof stored?.today === 'number' && stored.day === day ? stored.today : 0
  return { day, today, medianSeconds: typeof stored?.medianSeconds === 'number' ? stored.medianSeconds : null }
}

export const storePace = (items: Items, datasetId: string, pace: Pace) => items.keep(nameOf(datasetId), pace)
