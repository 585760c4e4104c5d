import { expect, test } from 'vitest'
import { laterThan, openClock } from './clock.ts'

test('every time is later than the one before, and has six digits', () => {
  const now = openClock()
  const times = Array.from({ length: 5000 }, now)
  expect(times.every(time => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/.test(time) && !time.endsWith('.000000'))).toBe(true)
  expect(times.toSorted()).toEqual(times)
  expect(new Set(times).size).toBe(times.length)
})

test('a clock that was set back goes on after what it is given', () => {
  expect(openClock('2099-01-05T10:11:12.131415')()).toBe('2099-01-05T10:11:12.131416')
  expect(openClock('2099-01-05T10:11:12.999999')()).toBe('2099-01-05T10:11:13.000001')
  expect(openClock('2001-01-05T10:11:12.131415')() > '2026').toBe(true)
})

test('what is written again has a later time, also when the clock was set back', () => {
  const now = '2026-01-05T10:11:12.131415'
  expect(laterThan(now, undefined)).toBe(now)
  expect(laterThan(now, '2026-01-05T10:11:12.131414')).toBe(now)
  for (const time of [now, '2099-01-05T10:11:12.131415']) expect(laterThan(now, time) > time).toBe(true)
})
