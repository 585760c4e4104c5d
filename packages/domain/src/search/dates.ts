/**
 * Dates in filters: converts a text or number to a time range.
 *
 * `ge` uses the start of the range, `le` its end, and a terms filter the whole range. Times are texts with six fractional digits,
 * like stored times, so that text order is time order. A JavaScript date would lose the microseconds.
 */
import { invalid } from '../errors.ts'
import type { Timestamp } from '../schema.ts'

export interface DateRange {
  from: Timestamp
  to: Timestamp
}

/** Milliseconds since 1970, and the microseconds within the millisecond. */
interface Moment {
  ms: number
  micros: number
}

interface Moments {
  from: Moment
  to: Moment
}

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/
const STEP = /([+-])(\d{0,6})([yMwdhHms])|\/([yMwdhHms])/y

const UNIT_MS: { [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Returns the time range of a date, epoch milliseconds or date arithmetic (`now-1d/d`). Throws `invalid` for anything else. */
export function toDateRange(value: string | number, now: Timestamp): DateRange {
  const moments = typeof value === 'number' ? ofEpoch(value) : ofText(value, now)
  if (moments === null)
    throw invalid(`\`${String(value).slice(0, 100)}\` is not a date. Right is, for example, 2026-11-15T03:19:37`)
  return { from: toTimestamp(moments.from), to: toTimestamp(moments.to) }
}

function ofText(text: string, now: Timestamp): Moments | null {
  if (text.startsWith('now')) {
    // `now` always has a fraction, so this is an exact time and not a range of a second.
    const instant = ofDate(now)?.from
    return instant === undefined ? null : calculate({ from: instant, to: instant }, text.slice(3))
  }
  const [anchor, steps] = text.split('||', 2)
  if (anchor !== undefined && steps !== undefined) return calculate(ofDate(anchor), steps)
  // A number with four digits is a year.
  if (/^-?\d{1,18}$/.test(text) && !/^\d{4}$/.test(text)) return ofEpoch(Number(text))
  return ofDate(text)
}

/** Stored times have microseconds, so a millisecond is a range. */
function ofEpoch(ms: number): Moments | null {
  if (!Number.isInteger(ms)) return null
  return { from: { ms, micros: 0 }, to: { ms, micros: 999 } }
}

function ofDate(text: string): Moments | null {
  const parts = DATE.exec(text)
  if (parts === null) return null
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction, zone] = parts
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const local = Date.parse(iso)
  // Rejects dates such as 30 February, which JavaScript parses as a day in March.
  if (Number.isNaN(local) || new Date(local).toISOString() !== iso) return null
  const offset = offsetMs(zone)
  if (offset === null) return null
  const ms = local - offset
  if (fraction !== undefined) return ofFraction(ms, fraction)

  // Days, hours, minutes and seconds are ranges. A month or year is the time at which it starts.
  const length = parts[3] === undefined ? 0 : partLengthMs(parts)
  return { from: { ms, micros: 0 }, to: length === 0 ? { ms, micros: 0 } : { ms: ms + length - 1, micros: 999 } }
}

function partLengthMs(parts: RegExpExecArray): number {
  if (parts[6] !== undefined) return 1000
  if (parts[5] !== undefined) return 60_000
  return parts[4] === undefined ? 86_400_000 : 3_600_000
}

/** Returns an exact time, or an empty range if the time is between two microseconds. */
function ofFraction(ms: number, fraction: string): Moments {
  const nanos = Number(fraction.padEnd(9, '0'))
  const at = (micros: number) => ({ ms: ms + Math.floor(micros / 1000), micros: micros % 1000 })
  return { from: at(Math.ceil(nanos / 1000)), to: at(Math.floor(nanos / 1000)) }
}

function offsetMs(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 18 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** Applies steps such as `-1d` and `/d`. Rounding returns the range from the start of the unit to its end. */
function calculate(start: Moments | null, steps: string): Moments | null {
  if (start === null) return null
  let moments = start
  STEP.lastIndex = 0
  while (STEP.lastIndex < steps.length) {
    const step = STEP.exec(steps)
    if (step === null) return null
    const [, sign, digits, unit = '', rounding] = step
    if (rounding !== undefined) {
      moments = { from: startOf(moments.from, rounding), to: endOf(moments.to, rounding) }
    } else {
      const amount = Number(digits === '' ? 1 : digits) * (sign === '-' ? -1 : 1)
      moments = { from: plus(moments.from, amount, unit), to: plus(moments.to, amount, unit) }
    }
    if (Number.isNaN(moments.from.ms) || Number.isNaN(moments.to.ms)) return null
  }
  return moments
}

function plus({ ms, micros }: Moment, amount: number, unit: string): Moment {
  if (unit === 'y') return { ms: plusMonths(ms, amount * 12), micros }
  if (unit === 'M') return { ms: plusMonths(ms, amount), micros }
  return { ms: ms + amount * (UNIT_MS[unit === 'H' ? 'h' : unit] ?? 0), micros }
}

/** One month after 31 January is the last day of February. */
function plusMonths(ms: number, months: number): number {
  const date = new Date(ms)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  const days = new Date(date)
  days.setUTCMonth(days.getUTCMonth() + 1, 0)
  return date.setUTCDate(Math.min(day, days.getUTCDate()))
}

function startOf({ ms }: Moment, unit: string): Moment {
  const date = new Date(ms)
  if (unit === 'y') date.setUTCMonth(0, 1)
  if (unit === 'M') date.setUTCDate(1)
  // Weeks start on Monday.
  if (unit === 'w') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  const length = UNIT_MS[unit === 'H' ? 'h' : unit === 'w' ? 'd' : unit] ?? UNIT_MS.d ?? 1
  return { ms: Math.floor(date.getTime() / length) * length, micros: 0 }
}

function endOf(moment: Moment, unit: string): Moment {
  return { ms: plus(startOf(moment, unit), 1, unit).ms - 1, micros: 999 }
}

/** Clamps times before the year 0 and after 9999. */
function toTimestamp({ ms, micros }: Moment): Timestamp {
  if (ms < EARLIEST_MS) return '0000-01-01T00:00:00.000000'
  if (ms > LATEST_MS) return '9999-12-31T23:59:59.999999'
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}`
}
