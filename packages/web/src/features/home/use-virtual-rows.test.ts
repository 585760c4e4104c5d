import { expect, test } from 'vitest'
import { toRowWindow } from './use-virtual-rows.ts'

test.each([
  { name: 'at the top', top: 0, first: 0, end: 40 },
  { name: 'below the top of the view', top: -300, first: 0, end: 33 },
  { name: 'in the middle', top: 10_000, first: 230, end: 290 },
  { name: 'at the end', top: 39_200, first: 960, end: 1000 },
  { name: 'beyond the end, after a filter', top: 80_000, first: 1000, end: 1000 },
])('rows $name', ({ top, first, end }) => {
  expect(toRowWindow({ top, height: 800, rowHeight: 40, count: 1000 })).toEqual({ first, end })
})

test('a list without rows has none to draw', () => {
  expect(toRowWindow({ top: 0, height: 800, rowHeight: 40, count: 0 })).toEqual({ first: 0, end: 0 })
})
