import { expect, test } from 'vitest'
import { placeAt, recordShuffle, SHUFFLE_SIZE, userWalk } from './shuffle.ts'

const ids = Array.from({ length: 6400 }, (_, i) => `01a1dfa4-4ccc-7000-9abf-${i.toString(16).padStart(12, '0')}`)
const numbers = Array.from({ length: SHUFFLE_SIZE }, (_, number) => number)

test('records whose ids differ in one digit are spread evenly over the places', () => {
  const counts = new Map<number, number>()
  for (const id of ids) counts.set(recordShuffle(id), (counts.get(recordShuffle(id)) ?? 0) + 1)
  expect([...counts.keys()].sort((a, b) => a - b)).toEqual(numbers)
  expect(Math.min(...counts.values())).toBeGreaterThan(50)
  expect(Math.max(...counts.values())).toBeLessThan(150)
})

test('a walk meets every place once, and knows as which', () => {
  for (const id of ids.slice(0, 200)) {
    const walk = userWalk(id)
    const places = numbers.map(number => placeAt(walk, number))
    expect(new Set(places).size).toBe(SHUFFLE_SIZE)
    expect(places.map(place => ((place + SHUFFLE_SIZE - walk.start) * walk.back) % SHUFFLE_SIZE)).toEqual(numbers)
  }
})

test('two people seldom walk alike', () => {
  const walks = new Set(ids.slice(0, 300).map(id => JSON.stringify(userWalk(id))))
  expect(walks.size).toBeGreaterThan(270)
})

test('places are stored, so the hash stays what it is', () => {
  expect(recordShuffle('01a1dfa4-4ccc-7000-9abf-afe9a3702104')).toBe(48)
})
