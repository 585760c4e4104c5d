import { expect, test } from 'vitest'
import { changedParts, isDeepEqual } from './changed-parts.ts'

test.each([
  { a: 1, b: 1, same: true },
  { a: 'a', b: 'b', same: false },
  { a: null, b: null, same: true },
  { a: null, b: {}, same: false },
  { a: undefined, b: null, same: false },
  { a: { x: 1, y: [1, 2] }, b: { y: [1, 2], x: 1 }, same: true },
  { a: [1, 2], b: [2, 1], same: false },
  { a: { x: undefined }, b: { y: undefined }, same: false },
  { a: { x: 1 }, b: { x: 1, y: 2 }, same: false },
  { a: [], b: {}, same: false },
])('$a and $b -> $same', ({ a, b, same }) => {
  expect(isDeepEqual(a, b)).toBe(same)
})

test('parts that changed, in the order of the block', () => {
  const stored = { title: 'Topic', description: '', settings: { options: ['a', 'b'] }, letters: { a: 'x' } }
  expect(changedParts(stored, stored)).toEqual([])
  expect(changedParts(stored, { ...stored, settings: { options: ['b', 'a'] }, title: 'Topics' })).toEqual(['title', 'settings'])
  expect(changedParts(stored, { ...stored, letters: { a: 'x' } })).toEqual([])
})
