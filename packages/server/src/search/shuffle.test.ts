import { expect, test } from 'vitest'
import { recordShuffle, SHUFFLE_SIZE, userShuffle } from './shuffle.ts'

const ids = Array.from({ length: 4096 }, (_, i) => `01a1dfa4-4ccc-7000-9abf-${i.toString(16).padStart(12, '0')}`)

test('ids that differ in one digit are spread evenly over the ring', () => {
  const counts = new Array<number>(16).fill(0)
  for (const id of ids) {
    const slot = Math.floor((recordShuffle(id) / SHUFFLE_SIZE) * 16)
    counts[slot] = (counts[slot] ?? 0) + 1
  }
  expect(Math.min(...counts)).toBeGreaterThan(200)
  expect(Math.max(...counts)).toBeLessThan(320)
  expect(new Set(ids.map(recordShuffle)).size).toBe(SHUFFLE_SIZE)
})

test('a place is one of the ring, and stays what it is', () => {
  expect(ids.map(recordShuffle).every(place => Number.isInteger(place) && place >= 0 && place < SHUFFLE_SIZE)).toBe(true)
  // Stored in databases: another hash would move every queue.
  expect([recordShuffle('01a1dfa4-4ccc-7000-9abf-afe9a3702104'), userShuffle('01a1dfa4-4ccc-7000-9abf-afe9a3702104')]).toEqual([
    48, 28,
  ])
})
