import { expect, test } from 'vitest'
import { packRows, rowOf, rowsInView } from './rows.ts'

test.each([
  { widths: [], available: 100, starts: [] },
  { widths: [40, 40], available: 86, starts: [0] },
  { widths: [40, 40], available: 85, starts: [0, 1] },
  // Wider than the row, so it has a row to itself.
  { widths: [40, 400, 40], available: 100, starts: [0, 1, 2] },
  { widths: [47, 47, 47, 47, 47], available: 100, starts: [0, 2, 4] },
])('chips $widths in $available px -> rows at $starts', ({ widths, available, starts }) => {
  expect(packRows(widths, available)).toEqual(starts)
})

test.each([
  { index: 0, row: 0 },
  { index: 3, row: 0 },
  { index: 4, row: 1 },
  { index: 99, row: 2 },
])('item $index is in row $row', ({ index, row }) => {
  expect(rowOf([0, 4, 9], index)).toBe(row)
})

test.each([
  { top: 0, rows: [0, 11] },
  { top: 340, rows: [7, 21] },
  { top: 3400 - 272, rows: [89, 100] },
])('scrolled to $top: rows $rows', ({ top, rows }) => {
  expect(rowsInView(100, 34, { top, height: 272 })).toEqual(rows)
})
