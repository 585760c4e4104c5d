import { expect, test } from 'vitest'
import { SHUFFLE_BUCKETS, type ShuffleOrder, toShuffleBucket, userShuffleOrder } from './shuffle.ts'

const ids = Array.from({ length: 6400 }, (_, i) => `01a1dfa4-4ccc-7000-9abf-${i.toString(16).padStart(12, '0')}`)
const numbers = Array.from({ length: SHUFFLE_BUCKETS }, (_, number) => number)

test('records whose ids differ in one digit are spread evenly over the buckets', () => {
  const counts = new Map<number, number>()
  for (const id of ids) counts.set(toShuffleBucket(id), (counts.get(toShuffleBucket(id)) ?? 0) + 1)
  expect([...counts.keys()].sort((a, b) => a - b)).toEqual(numbers)
  expect(Math.min(...counts.values())).toBeGreaterThan(50)
  expect(Math.max(...counts.values())).toBeLessThan(150)
})

test('an order has every bucket once, and is the same each time', () => {
  for (const id of ids.slice(0, 200)) {
    const order = userShuffleOrder(id)
    expect(order.buckets.toSorted((a, b) => a - b)).toEqual(numbers)
    expect(userShuffleOrder(id)).toEqual(order)
  }
})

test('the orders of 300 users have few transitions between buckets in common', () => {
  const transitions = ({ buckets }: ShuffleOrder) =>
    new Set(buckets.map((bucket, i) => `${bucket} ${buckets[(i + 1) % buckets.length]}`))
  const orders = ids.slice(0, 300).map(id => transitions(userShuffleOrder(id)))
  const shared = orders.flatMap((order, i) => orders.slice(i + 1).map(other => order.intersection(other).size))
  expect(Math.max(...shared)).toBeLessThan(SHUFFLE_BUCKETS / 4)
})

test('buckets are stored, so the hash must not change', () => {
  expect(toShuffleBucket('01a1dfa4-4ccc-7000-9abf-afe9a3702104')).toBe(48)
})
