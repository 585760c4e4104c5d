/**
 * Returns a clock with the API's time format: UTC with microseconds, without zone. It is strictly increasing within a process and
 * later than `after`, so that records of one bulk call sort in their order. It never returns a whole second, so that all times
 * have the same length.
 */
export function openClock(after: string | null = null): () => string {
  let last = after === null ? 0 : toMicros(after)
  return () => {
    last = Math.max(last + 1, Math.floor((performance.timeOrigin + performance.now()) * 1000))
    if (last % 1_000_000 === 0) last++
    return microsToTimestamp(last)
  }
}

/** Adds seconds, also negative ones, to a timestamp, with millisecond precision. */
export function later(timestamp: string, seconds: number): string {
  return `${new Date(Date.parse(`${timestamp}Z`) + seconds * 1000).toISOString().slice(0, 23)}000`
}

const toMicros = (timestamp: string) =>
  Date.parse(`${timestamp.slice(0, 19)}Z`) * 1000 + Number(timestamp.slice(20).padEnd(6, '0'))

let secondKnown = Number.NaN
let secondText = ''

function microsToTimestamp(micros: number): string {
  const second = Math.floor(micros / 1_000_000)
  if (second !== secondKnown) {
    secondKnown = second
    secondText = new Date(second * 1000).toISOString().slice(0, 20)
  }
  return secondText + String(micros % 1_000_000).padStart(6, '0')
}

/** Returns `now`, or a moment after `time` if the system clock was set back since. */
export const laterThan = (now: string, time: string | undefined): string =>
  time === undefined || now > time ? now : openClock(time)()
