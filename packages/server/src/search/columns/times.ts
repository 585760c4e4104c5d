/**
 * Times as numbers: microseconds since 1970, which sort like the texts. A float represents them exactly from 1685 to 2255, and
 * all records are created within this range. Filter bounds may lie outside: even if rounded, they are before or after every
 * record.
 */
import type { Timestamp } from '@postil/domain/schema'
import type { Range } from '@postil/domain/search/query'
import { firstAfter, firstNotBefore, type NumberedTexts } from './text-bound.ts'

/** Added to the year because `Date.UTC` reads the years 0 to 99 as 1900 to 1999. The calendar repeats after 400 years. */
const CYCLE_YEARS = 400
const CYCLE_MS = 146_097 * 86_400_000
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00.000Z')
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/

/** Converts a time. It must be well-formed, as stored times are. */
export function toMicros(time: Timestamp): number {
  const ms = Date.UTC(
    digits(time, 0, 4) + CYCLE_YEARS,
    digits(time, 5, 7) - 1,
    digits(time, 8, 10),
    digits(time, 11, 13),
    digits(time, 14, 16),
    digits(time, 17, 19),
  )
  return (ms - CYCLE_MS) * 1000 + digits(time, 20, 26)
}

function digits(text: string, from: number, to: number): number {
  let number = 0
  for (let i = from; i < to; i++) number = number * 10 + text.charCodeAt(i) - 48
  return number
}

/** Returns the microseconds of a time, or null if the text is not a valid time. */
function findMicros(text: string): number | null {
  if (!TIME.test(text)) return null
  const micros = toMicros(text)
  return toText(BigInt(micros) - FIRST_MICROS) === text ? micros : null
}

const FIRST_MICROS = BigInt(YEAR_0_MS) * 1000n

/** Times numbered from the year 0 to the year 9999. */
const TIMES: NumberedTexts = { last: BigInt(CYCLE_MS) * 25_000n - 1n, toText }

function toText(number: bigint): Timestamp {
  const iso = new Date(Number(number / 1000n) + YEAR_0_MS).toISOString()
  return `${iso.slice(0, 23)}${String(number % 1000n).padStart(3, '0')}`
}

/**
 * Converts the values of a filter on a time to ranges of one time each. Texts that are not valid times match nothing, so they are
 * dropped.
 */
export function toTimeValues(values: readonly string[]): Range<number>[] {
  return values.flatMap(value => {
    const micros = findMicros(value)
    return micros === null ? [] : [{ from: micros, to: micros }]
  })
}

/**
 * Converts text ranges to ranges of microseconds. Bounds are normally times; any other text is placed among the times by its sort
 * order.
 */
export function toTimeRanges(ranges: readonly Range<string>[]): Range<number>[] {
  return ranges.map(({ from, to }) => ({
    from: from === null ? null : (findMicros(from) ?? Number(firstNotBefore(from, TIMES) + FIRST_MICROS)),
    to: to === null ? null : (findMicros(to) ?? Number(firstAfter(to, TIMES) + FIRST_MICROS) - 1),
  }))
}
