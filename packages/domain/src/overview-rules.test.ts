import { describe, expect, test } from 'vitest'
import { forecastOf, gapsOf, isSameAnswer, medianSeconds, scoreBucketOf, toDate, toDay } from './overview-rules.ts'

const seconds = (...gaps: number[]) => {
  let now = 1_000
  return new Float64Array([now, ...gaps.map(gap => (now += gap * 1_000))])
}

describe('pace', () => {
  test.each([
    { name: 'an odd number of gaps', gaps: [1, 2, 30, 4, 5], median: 4 },
    { name: 'an even number of gaps', gaps: [1, 2, 3, 4, 5, 60], median: 3.5 },
    { name: 'too few to mean something', gaps: [1, 2, 3, 4], median: null },
    { name: 'a break of more than five minutes is no work', gaps: [10, 10, 301, 10, 10, 10], median: 10 },
    { name: 'five minutes are work', gaps: [300, 300, 300, 300, 300], median: 300 },
    { name: 'answers in a burst were one action', gaps: [0.001, 0.399, 8, 8, 8, 8, 8], median: 8 },
    { name: 'breaks and bursts leave too few', gaps: [0.1, 8, 8, 8, 8, 900], median: null },
    { name: 'nothing at all', gaps: [], median: null },
  ])('$name', ({ gaps, median }) => {
    expect(medianSeconds(gapsOf(seconds(...gaps)))).toBe(median)
  })

  test('there is no pace without answers', () => {
    expect(medianSeconds(gapsOf(new Float64Array(0)))).toBeNull()
  })
})

describe('forecast', () => {
  const today = toDay(Date.parse('2026-11-18T12:00:00Z'), 0)
  const forecast = (completed: number[], remaining: number) => forecastOf({ completed, remaining, today })

  test('an even pace has no range', () => {
    expect(forecast([10, 10, 10, 10], 100)).toEqual({
      per_day: 10,
      date: '2026-11-28',
      earliest: '2026-11-28',
      latest: '2026-11-28',
    })
  })

  test('an uneven pace has one', () => {
    // Mean 10, standard deviation 2, so 10 ± 1.28 × 2 / √5.
    expect(forecast([8, 12, 10, 8, 12], 100)).toEqual({
      per_day: 10,
      date: '2026-11-28',
      earliest: '2026-11-27',
      latest: '2026-11-30',
    })
  })

  test('the end is open if the pace may be nothing', () => {
    expect(forecast([1, 0, 0, 0], 10)).toMatchObject({ per_day: 0.3, date: '2026-12-28', latest: null })
  })

  test.each([
    { name: 'nothing is left', completed: [5, 5], remaining: 0 },
    { name: 'nothing was completed', completed: [0, 0, 0], remaining: 10 },
    { name: 'only today says something', completed: [0, 0, 40], remaining: 10 },
    { name: 'no days are known', completed: [], remaining: 10 },
    { name: 'it would take more than ten years', completed: [1, 0], remaining: 1_000_000 },
  ])('there is none when $name', ({ completed, remaining }) => {
    expect(forecast(completed, remaining)).toBeNull()
  })

  test('goes by the last two weeks only', () => {
    expect(forecast([1_000, ...new Array(14).fill(1)], 10)?.per_day).toBe(1)
  })

  test('days before the first completed record do not count', () => {
    expect(forecast([0, 0, 0, 0, 4, 4], 8)?.per_day).toBe(4)
  })
})

test.each([
  { score: 0, bucket: 0 },
  { score: 0.0999, bucket: 0 },
  { score: 0.1, bucket: 1 },
  // In binary, 0.3 and 0.7 times ten are slightly less than 3 and 7.
  { score: 0.3, bucket: 3 },
  { score: 0.7, bucket: 7 },
  { score: 0.999, bucket: 9 },
  { score: 1, bucket: 9 },
])('score $score is in bucket $bucket', ({ score, bucket }) => {
  expect(scoreBucketOf(score)).toBe(bucket)
})

test.each([
  { time: '2026-11-17T23:30:00Z', offset: 0, date: '2026-11-17' },
  { time: '2026-11-17T23:30:00Z', offset: 60, date: '2026-11-18' },
  { time: '2026-11-18T00:30:00Z', offset: -60, date: '2026-11-17' },
  { time: '1969-12-31T12:00:00Z', offset: 0, date: '1969-12-31' },
])('$time is on $date, $offset minutes from UTC', ({ time, offset, date }) => {
  expect(toDate(toDay(Date.parse(time), offset))).toBe(date)
})

const at = (label: string, start: number, end = start + 1) => ({ label, start, end })

test.each([
  { left: 'a', right: 'a', same: true },
  { left: 'a', right: 'b', same: false },
  { left: 3, right: 3, same: true },
  { left: 3, right: '3', same: false },
  { left: ['a', 'b'], right: ['b', 'a'], same: true },
  { left: ['a', 'b'], right: ['a'], same: false },
  { left: ['a,b'], right: ['a', 'b'], same: false },
  { left: [], right: [], same: true },
  { left: 'a', right: ['a'], same: false },
  { left: [at('x', 1), at('y', 4)], right: [at('y', 4), at('x', 1)], same: true },
  { left: [at('x', 1)], right: [at('x', 1, 3)], same: false },
  { left: [at('x', 1)], right: [{ ...at('x', 1), score: 0.5 }], same: true },
  { left: [{ value: 'a', rank: 1 }], right: [{ value: 'a', rank: 1 }], same: true },
  { left: [{ value: 'a', rank: 1 }], right: [{ value: 'a', rank: 2 }], same: false },
  { left: [{ value: 'a' }], right: [{ value: 'a', rank: null }], same: true },
])('$left and $right are the same answer: $same', ({ left, right, same }) => {
  expect(isSameAnswer(left, right)).toBe(same)
})
