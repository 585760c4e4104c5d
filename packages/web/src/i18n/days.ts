/** Converts calendar days to times in the user's time zone. `2026-03-29` starts at a different moment in Berlin than in Tokyo. */

const DAY_MS = 86_400_000

/** UTC offset of the time zone at the given time, in milliseconds. */
function offsetMs(time: number, timeZone: string | undefined): number {
  const format = new Intl.DateTimeFormat('en-CA-u-hc-h23', {
    ...(timeZone === undefined ? {} : { timeZone }),
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, second } = parts
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) - Math.floor(time / 1000) * 1000
}

/** Returns null if the text is not a valid day. */
export function dayStart(day: string, timeZone?: string): number | null {
  const utc = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(utc)) return null
  const guess = utc - offsetMs(utc, timeZone)
  // Uses the offset at the guessed time, because daylight saving time may change between the two moments.
  return utc - offsetMs(guess, timeZone)
}

/** Returns the first and the last moment of the range, both inclusive. */
export function toTimes({ from, to }: { from: string | null; to: string | null }, timeZone?: string) {
  const start = from === null ? null : dayStart(from, timeZone)
  const last = to === null ? null : Date.parse(`${to}T00:00:00Z`)
  const next = last === null || Number.isNaN(last) ? null : dayStart(new Date(last + DAY_MS).toISOString().slice(0, 10), timeZone)
  return {
    from: start === null ? null : new Date(start).toISOString(),
    to: next === null ? null : new Date(next - 1).toISOString(),
  }
}
