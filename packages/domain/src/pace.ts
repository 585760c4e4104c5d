/**
 * A user's pace in a dataset, from their own answers on the server, so that it is the same in every browser.
 *
 * The time per record is the median of the times between the last answers, submitted or discarded. Times over five minutes are
 * breaks, and several answers within 0.4 s are one action: neither counts. A median of at least ten times changes little with one
 * answer, however long that answer took.
 */
import { gapsOf, medianSeconds, toDay } from './overview-rules.ts'
import { Float, Int, Nullable, Shape, type Static } from './schema.ts'

/** Number of latest answers that determine the time per record. */
export const PACE_ANSWERS = 50
/** Responses that changed today beyond this number are not counted, so that a count reads a limited number of rows. */
export const PACE_TODAY_MAX = 10_000
const GAPS_MIN = 10

export const Pace = Shape({
  /** Records whose response the caller submitted since midnight, up to 10,000. */
  today: Int(),
  /** Null if there are too few answers. */
  median_seconds: Nullable(Float()),
})
export type Pace = Static<typeof Pace>

/** `times` are in milliseconds, in ascending order. */
export function secondsPerRecord(times: readonly number[]): number | null {
  const gaps = gapsOf(Float64Array.from(times.slice(-PACE_ANSWERS)))
  return gaps.length < GAPS_MIN ? null : medianSeconds(gaps)
}

/** Returns the last midnight in a time zone that is `utcOffsetMinutes` ahead of UTC. */
export const startOfDay = (nowMs: number, utcOffsetMinutes: number): number =>
  toDay(nowMs, utcOffsetMinutes) * 86_400_000 - utcOffsetMinutes * 60_000
