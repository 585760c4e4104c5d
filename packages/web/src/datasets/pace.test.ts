import { expect, test } from 'vitest'
import type { Write } from '../outbox/write.ts'
import { createItems } from '../storage/items.ts'
import { describePace, readPace, startOfDay, storePace, type TimedStatus, toPace, withChange, withWaiting } from './pace.ts'

const noon = startOfDay(Date.UTC(2026, 5, 1, 12)) + 12 * 3_600_000
const DAY_MS = 86_400_000
const pace = (today: number, medianSeconds: number | null = null) => toPace({ today, median_seconds: medianSeconds }, noon)
const at = (status: 'submitted' | 'draft' | 'discarded' | null, changedAt = noon): TimedStatus => ({ status, changedAt })

test.each([
  ['a first answer', null, at('submitted'), 4],
  ['a draft that is submitted', at('draft'), at('submitted'), 4],
  ['a record submitted again on the same day', at('submitted'), at('submitted'), 3],
  ['a record of yesterday, submitted again', at('submitted', noon - DAY_MS), at('submitted'), 4],
  ['an answer of today that is discarded', at('submitted'), at('discarded'), 2],
  ['an answer of yesterday that is discarded', at('submitted', noon - DAY_MS), at('discarded'), 3],
  ['an answer of today that is undone', at('submitted'), null, 2],
  ['a refused write: yesterday’s answer is back', at('submitted'), at('submitted', noon - DAY_MS), 2],
])('%s', (_, from, to, today) => {
  expect(withChange(pace(3), from, to, noon).today).toBe(today)
})

test('a new day begins at nothing', () => {
  expect(describePace(pace(3), 1, noon + DAY_MS).today).toBe(0)
  expect(withChange(pace(3), null, at('submitted', noon + DAY_MS), noon + DAY_MS).today).toBe(1)
})

test('waiting answers are added, each record once', () => {
  const timeOf = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}000`
  const write = (recordId: string, status: Write['status'], given: Partial<Write> = {}) =>
    ({ recordId, status, base: null, baseStatus: null, madeAt: noon, ...given }) as Write
  const stored = { base: timeOf(noon), baseStatus: 'submitted' as const }
  const waiting = [
    write('a', 'submitted'),
    write('b', 'submitted', stored),
    write('c', 'discarded', stored),
    write('d', 'submitted', { ...stored, base: timeOf(noon - DAY_MS) }),
    write('e', 'draft'),
    write('f', 'submitted'),
    write('f', 'discarded'),
    write('g', 'submitted', { madeAt: noon - DAY_MS }),
  ]
  expect(withWaiting(pace(5), waiting, noon).today).toBe(6)
})

test('is stored, and anything else that is stored is ignored', () => {
  const items = createItems('ana', null)
  storePace(items, 'd1', pace(7, 20))
  expect(readPace(items, 'd1', noon)).toEqual(pace(7, 20))
  expect(readPace(items, 'd1', noon + DAY_MS)).toEqual({ ...pace(0, 20), day: startOfDay(noon + DAY_MS) })
  for (const stored of [[noon], 'x', 3, { today: 'many' }]) {
    items.keep('pace.d1', stored)
    expect(readPace(items, 'd1', noon)).toEqual(pace(0))
  }
})

test.each([
  { seconds: null, left: 100, perHour: null, hours: 0, minutes: 0 },
  { seconds: 60, left: 0, perHour: 60, hours: 0, minutes: 0 },
  { seconds: 60, left: 1, perHour: 60, hours: 0, minutes: 1 },
  // 15 seconds are rounded up to 1 minute.
  { seconds: 5, left: 3, perHour: 720, hours: 0, minutes: 1 },
  { seconds: 60, left: 120, perHour: 60, hours: 2, minutes: 0 },
  { seconds: 60, left: 100, perHour: 60, hours: 1, minutes: 40 },
  // Above ten hours, only whole hours are shown.
  { seconds: 60, left: 5_000, perHour: 60, hours: 83, minutes: 0 },
])('$left left at $seconds s each: $hours h $minutes min', ({ seconds, left, ...expected }) => {
  expect(describePace(pace(1, seconds), left, noon)).toMatchObject(expected)
})
