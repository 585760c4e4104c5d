import { describe, expect, test } from 'vitest'
import { readRange, toDisposition } from './send-file.ts'

test.each([
  { header: 'bytes=0-0', range: { start: 0, end: 1 } },
  { header: 'bytes=2-', range: { start: 2, end: 10 } },
  { header: 'bytes=5-100', range: { start: 5, end: 10 } },
  { header: 'bytes=-3', range: { start: 7, end: 10 } },
  { header: 'bytes=-100', range: { start: 0, end: 10 } },
  { header: 'bytes=10-', range: 'unsatisfiable' },
  { header: 'bytes=-0', range: 'unsatisfiable' },
  { header: 'bytes=5-4', range: null },
  { header: 'bytes=0-1,3-4', range: null },
  { header: 'bytes=-', range: null },
  { header: 'lines=1-2', range: null },
])('$header of ten bytes is $range', ({ header, range }) => {
  expect(readRange(header, 10)).toEqual(range)
})

describe('the name of a download', () => {
  test.each([
    { name: 'rows.csv', header: `attachment; filename="rows.csv"; filename*=UTF-8''rows.csv` },
    { name: 'a"b\\c.csv', header: `attachment; filename="a_b_c.csv"; filename*=UTF-8''a%22b%5Cc.csv` },
    { name: 'é(1).csv', header: `attachment; filename="_(1).csv"; filename*=UTF-8''%C3%A9%281%29.csv` },
    { name: 'a\r\nx: y', header: `attachment; filename="a__x: y"; filename*=UTF-8''a%0D%0Ax%3A%20y` },
  ])('$name', ({ name, header }) => {
    expect(toDisposition(name)).toBe(header)
  })
})
