import { expect, test } from 'vitest'
import { dayStart, toTimes } from './days.ts'

test.each([
  ['2026-01-15', 'UTC', '2026-01-15T00:00:00.000Z'],
  ['2026-01-15', 'Europe/Berlin', '2026-01-14T23:00:00.000Z'],
  ['2026-07-15', 'Europe/Berlin', '2026-07-14T22:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ['2026-01-15', 'Asia/Tokyo', '2026-01-14T15:00:00.000Z'],
  ['2026-01-15', 'America/New_York', '2026-01-15T05:00:00.000Z'],
  ['2026-01-15', 'Asia/Kathmandu', '2026-01-14T18:15:00.000Z'],
])('%s begins in %s at %s', (day, zone, expected) => {
  expect(new Date(dayStart(day, zone) ?? 0).toISOString()).toBe(expected)
})

test('the last day counts to its end, also when the clock is changed in it', () => {
  expect(toTimes({ from: '2026-03-29', to: '2026-03-29' }, 'Europe/Berlin')).toEqual({
    from: '2026-03-28T23:00:00.000Z',
    to: '2026-03-29T21:59:59.999Z',
  })
})

test.each(['', 'yesterday', '2026-13-40'])('%j is no day', day => {
  expect(dayStart(day, 'UTC')).toBeNull()
  expect(toTimes({ from: day, to: day }, 'UTC')).toEqual({ from: null, to: null })
})
