import { expect, test } from 'vitest'
import type { Json } from '../schema.ts'
import { toCsvRow, withoutMark } from './csv.ts'

test.each<[Json | undefined, string]>([
  ['plain', 'plain'],
  [null, ''],
  [undefined, ''],
  ['', '""'],
  [-5, '-5'],
  [1e21, '1e+21'],
  [false, 'false'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  [['=1', 'b'], '"[""=1"",""b""]"'],
  [{ a: 1 }, '"{""a"":1}"'],
  ['=1+1', "'\u2060=1+1"],
  ['=HYPERLINK("x")', `"'\u2060=HYPERLINK(""x"")"`],
  ['+1-2', "'\u2060+1-2"],
  ['-cmd', "'\u2060-cmd"],
  ['@SUM(A1)', "'\u2060@SUM(A1)"],
  ['\t=1', "'\u2060\t=1"],
  ['\r=1', `"'\u2060\r=1"`],
  ['\n=1', `"'\u2060\n=1"`],
  ['＝1', "'\u2060＝1"],
  ['-5', '-5'],
  ['+49.5', '+49.5'],
  ['-1e-7', '-1e-7'],
  ['-', "'\u2060-"],
  ['+49 30', "'\u2060+49 30"],
  ['a=1', 'a=1'],
  ["'=1", "'=1"],
  ["'\u2060=1", "'\u2060'\u2060=1"],
])('%j is the cell %j', (value, cell) => {
  expect(toCsvRow(['x', value, 'y'])).toBe(`x,${cell},y\r\n`)
  if (typeof value === 'string' && !cell.startsWith('"')) expect(withoutMark(cell)).toBe(value)
})

test('a long text that is almost a number is checked once', () => {
  const digits = '1'.repeat(1_000_000)
  expect(toCsvRow([`+${digits}x`])).toBe(`'\u2060+${digits}x\r\n`)
})
