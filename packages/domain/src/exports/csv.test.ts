import { expect, test } from 'vitest'
import type { Json } from '../schema.ts'
import { toCsvRow } from './csv.ts'

test.each<[Json | undefined, string]>([
  ['plain', 'plain'],
  [null, ''],
  [undefined, ''],
  ['', ''],
  [-5, '-5'],
  [1e21, '1e+21'],
  [false, 'false'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  [['=1', 'b'], '"[""=1"",""b""]"'],
  [{ a: 1 }, '"{""a"":1}"'],
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['+1-2', "'+1-2"],
  ['-cmd', "'-cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['＝1', "'＝1"],
  ['-5', '-5'],
  ['+49.5', '+49.5'],
  ['-1e-7', '-1e-7'],
  ['-', "'-"],
  ['+49 30', "'+49 30"],
  ['a=1', 'a=1'],
  ["'=1", "'=1"],
])('%j is the cell %j', (value, cell) => {
  expect(toCsvRow(['x', value, 'y'])).toBe(`x,${cell},y\r\n`)
})

test('a long text that is almost a number is checked once', () => {
  const digits = '1'.repeat(1_000_000)
  expect(toCsvRow([`+${digits}x`])).toBe(`'+${digits}x\r\n`)
})
