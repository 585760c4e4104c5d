import { expect, test } from 'vitest'
import { recordShuffle, SHUFFLE_SIZE, userShuffle } from './shuffle.ts'

const ids = Array.from({ length: 6400 }, (_, i) => `01a1dfa4-4ccc-7000-9abf-${i.toString(16).padStart(12, '0')}`)

test.each([recordShuffle, userShuffle])('ids that differ in one digit are spread evenly over the ring', placeOf => {
  const counts = new Map<number, number>()
  for (const id of ids) counts.set(placeOf(id), (counts.get(placeOf(id)) ?? 0) + 1)
  expect([...counts.keys()].every(place => Number.isInteger(place) && place >= 0 && place < SHUFFLE_SIZE)).toBe(true)
  expect(Math.min(...counts.values())).toBeGreaterThan(50)
  expect(Math.max(...counts.values())).toBeLessThan(150)
})

test('the ring is walked by masking bits, so its size is a power of two', () => {
  expect(SHUFFLE_SIZE & (SHUFFLE_SIZE - 1)).toBe(0)
})
