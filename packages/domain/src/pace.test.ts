import { expect, test } from 'vitest'
import { secondsPerRecord, startOfDay } from './pace.ts'

/** Times of answers from the seconds that each took. */
function timesOf(seconds: readonly number[]): number[] {
  const times = [1_000_000]
  for (const taken of seconds) times.push((times.at(-1) ?? 0) + taken * 1_000)
  return times
}
const times = (count: number, seconds: number) => Array.from({ length: count }, () => seconds)

test.each([
  ['nothing', [], null],
  ['nine times are too few', times(9, 60), null],
  ['ten are enough', times(10, 60), 60],
  ['a burst is one action', times(300, 0.3), null],
  ['the shortest time that counts', times(10, 0.4), 0.4],
  ['a break does not count', [...times(5, 60), 301, ...times(5, 60)], 60],
  ['five minutes are not a break', times(10, 300), 300],
  ['only the last 50 answers count', [...times(200, 200), ...times(49, 10)], 10],
])('%s', (_, seconds, expected) => {
  expect(secondsPerRecord(timesOf(seconds))).toBe(expected)
})

test('one slow answer does not change the estimate much', () => {
  const seconds = [20, 25, 30, 22, 28, 24, 26, 21, 29, 23, 27]
  const before = secondsPerRecord(timesOf(seconds)) ?? 0
  const after = secondsPerRecord(timesOf([...seconds, 300])) ?? 0
  expect(after / before).toBeLessThan(1.05)
  expect(after).toBeGreaterThanOrEqual(before)
})

test.each([
  { now: '2026-06-01T22:00:00Z', offset: 0, start: '2026-06-01T00:00:00Z' },
  { now: '2026-06-01T22:00:00Z', offset: 120, start: '2026-06-01T22:00:00Z' },
  { now: '2026-06-01T21:59:59Z', offset: 120, start: '2026-05-31T22:00:00Z' },
  { now: '2026-06-01T03:00:00Z', offset: -420, start: '2026-05-31T07:00:00Z' },
  { now: '2026-06-01T18:30:00Z', offset: 330, start: '2026-06-01T18:30:00Z' },
])('at $now, the day began at $start with an offset of $offset', ({ now, offset, start }) => {
  expect(startOfDay(Date.parse(now), offset)).toBe(Date.parse(start))
})
