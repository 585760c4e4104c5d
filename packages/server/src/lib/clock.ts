/**
 * The time as the API writes it: UTC with microseconds, without zone. Strictly increasing within a process, and after the
 * time it is given to begin with, so that
 * records of one bulk sort in the order they came, and never on a whole second, so that all texts have one length.
 */
export function openClock(after: string | null = null): () => string {
  let last = after === null ? 0 : toMicros(after)
  return () => {
    last = Math.max(last + 1, Math.floor((performance.timeOrigin + performance.now()) * 1000))
    if (last % 1_000_000 === 0) last++
    return microsToTimestamp(last)
  }
}

/** The time some seconds after a timestamp, or before it; to the millisecond. */
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

/** The time, or a moment after `time` where the machine's clock was set back since. */
export const laterThan = (now: string, time: string | undefined): string =>
  time === undefined || now > time ? now : openClock(time)()
