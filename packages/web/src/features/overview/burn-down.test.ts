import type { Overview } from '@postil/domain/overview'
import { describe, expect, test } from 'vitest'
import { toBurnDown, toTicks } from './burn-down.ts'

const of = (completed: number[], left: number, forecast: Overview['forecast'] = null) =>
  toBurnDown({
    days: completed.map((completed, i) => ({ date: `2026-11-0${i + 1}`, completed, submitted: 0 })),
    records: { total: 100, completed: 100 - left, in_progress: 0, not_started: left },
    forecast,
  } as unknown as Overview)

describe('records left', () => {
  test('each day shows the records left at its end', () => {
    expect(of([5, 0, 10], 40).line).toEqual([
      { day: 0, left: 50 },
      { day: 1, left: 50 },
      { day: 2, left: 40 },
    ])
  })

  test('ends at today without a forecast', () => {
    expect(of([5, 0, 10], 40)).toMatchObject({ end: null, dayMax: 2, leftMax: 50 })
  })

  test('extends to the latest end of the forecast', () => {
    const forecast = { per_day: 10, date: '2026-11-05', earliest: '2026-11-04', latest: '2026-11-06' }
    expect(of([10, 10, 10], 20, forecast)).toMatchObject({ end: { day: 4, earliest: 3, latest: 5, isOpen: false }, dayMax: 6 })
  })

  test('covers at most twice the period, and an open end is beyond it', () => {
    const forecast = { per_day: 1, date: '2026-12-31', earliest: '2026-12-01', latest: null }
    const { end, dayMax } = of([1, 1, 1], 60, forecast)
    expect(dayMax).toBe(6)
    expect(end?.isOpen).toBe(true)
    expect(end?.latest).toBeGreaterThan(dayMax)
  })
})

test.each([
  { max: 0, last: 1 },
  { max: 1, last: 1 },
  { max: 7, last: 7.5 },
  { max: 100, last: 100 },
  { max: 3054, last: 3054 },
  { max: 1_000_000, last: 1_000_000 },
])('ticks of $max reach it, and are whole numbers', ({ max, last }) => {
  const ticks = toTicks(max)
  expect(ticks[0]).toBe(0)
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.floor(last))
  expect(ticks.length).toBeLessThanOrEqual(4)
  expect(ticks.every(Number.isInteger)).toBe(true)
  expect(new Set(ticks).size).toBe(ticks.length)
})
