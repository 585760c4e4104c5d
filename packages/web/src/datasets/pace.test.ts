import { expect, test } from 'vitest'
import { describePace, startOfDay, withSubmit } from './pace.ts'

const noon = startOfDay(Date.UTC(2026, 5, 1, 12)) + 12 * 3_600_000
const every = (ms: number, count: number) => Array.from({ length: count }, (_, i) => noon + i * ms)

test.each([
  ['nothing yet', [], { today: 0, perHour: null, medianSeconds: null, hours: 0, minutes: 0 }],
  ['too few to say', every(60_000, 5), { today: 5, perHour: null, medianSeconds: null, hours: 0, minutes: 0 }],
  ['one a minute, 100 left', every(60_000, 7), { today: 7, perHour: 60, medianSeconds: 60, hours: 1, minutes: 40 }],
  [
    'a burst of the bulk view says nothing',
    every(5, 300),
    { today: 300, perHour: null, medianSeconds: null, hours: 0, minutes: 0 },
  ],
  [
    'a break does not count',
    [...every(60_000, 7), ...every(60_000, 7).map(time => time + 3_600_000)],
    { today: 14, perHour: 60, medianSeconds: 60, hours: 1, minutes: 40 },
  ],
  [
    'a slow record moves the average, not the median',
    [...every(10_000, 7), noon + 300_000],
    { today: 8, perHour: 84, medianSeconds: 10, hours: 1, minutes: 11 },
  ],
])('%s', (_, times, expected) => {
  expect(describePace({ times }, 100)).toEqual(expected)
})

test('a new day begins at nothing', () => {
  expect(withSubmit({ times: [noon - 86_400_000] }, noon).times).toEqual([noon])
})

test.each([
  { seconds: 60, left: 0, hours: 0, minutes: 0 },
  { seconds: 60, left: 1, hours: 0, minutes: 1 },
  // 15 seconds are rounded up to 1 minute.
  { seconds: 5, left: 3, hours: 0, minutes: 1 },
  { seconds: 60, left: 120, hours: 2, minutes: 0 },
  // Above ten hours, only whole hours are shown.
  { seconds: 60, left: 5_000, hours: 83, minutes: 0 },
])('$left left at $seconds s each: $hours h $minutes min', ({ seconds, left, hours, minutes }) => {
  expect(describePace({ times: every(seconds * 1_000, 7) }, left)).toMatchObject({ hours, minutes })
})
