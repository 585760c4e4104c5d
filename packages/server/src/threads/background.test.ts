import { expect, test } from 'vitest'
import { takeTurns } from './background.ts'

/** `pieces` is the number of steps of each task, `order` the order in which they run. */
test.each([
  { pieces: { a: 3 }, order: 'aaa' },
  { pieces: { a: 3, b: 2, c: 2 }, order: 'abcabca' },
  { pieces: { a: 1, b: 4, c: 2 }, order: 'abcbcbb' },
  { pieces: { a: 0, b: 0, c: 2 }, order: 'cc' },
  { pieces: {}, order: '' },
])('pieces of $pieces are done in the order "$order"', async ({ pieces, order }) => {
  const left = new Map<string, number>(Object.entries(pieces))
  let done = ''
  const step = takeTurns(
    [...left.keys()].map(name => async () => {
      const count = left.get(name) ?? 0
      if (count === 0) return false
      left.set(name, count - 1)
      done += name
      return true
    }),
  )
  while (await step());
  expect(done).toBe(order)
  expect(await step()).toBe(false)
})
