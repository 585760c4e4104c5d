import { expect, test } from 'vitest'
import { compareText } from './compare-text.ts'

test.each([
  { left: '', right: '', sign: 0 },
  { left: 'a', right: 'a', sign: 0 },
  { left: 'ab', right: 'a', sign: 1 },
  { left: 'B', right: 'a', sign: -1 },
  // The emoji starts with a smaller UTF-16 unit but is the larger code point.
  { left: '\uFF5E', right: '😀', sign: -1 },
  { left: 'x😀', right: 'x\uFFFD', sign: 1 },
  { left: '😀', right: '😁', sign: -1 },
])('texts compare by code point: $left and $right -> $sign', ({ left, right, sign }) => {
  expect(Math.sign(compareText(left, right))).toBe(sign)
})
