import { expect, test } from 'vitest'
import { openClock } from './clock.ts'

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
