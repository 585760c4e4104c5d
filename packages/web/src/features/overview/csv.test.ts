import { expect, test } from 'vitest'
import { toCsv, toFileName } from './csv.ts'

test.each([
  { cell: 'plain', field: 'plain' },
  { cell: 'a,b', field: '"a,b"' },
  { cell: 'say "hi"', field: '"say ""hi"""' },
  { cell: 'two\nlines', field: '"two\nlines"' },
  { cell: '=1+1', field: "'=1+1" },
  { cell: '@sum(a1),2', field: `"'@sum(a1),2"` },
  { cell: '-x', field: "'-x" },
  { cell: '+x', field: "'+x" },
  { cell: '\tx', field: "'\tx" },
  // Numbers are not escaped, even if they are negative.
  { cell: -3, field: '-3' },
  { cell: 0.25, field: '0.25' },
  { cell: null, field: '' },
])('$cell is written as $field', ({ cell, field }) => {
  expect(toCsv({ columns: ['a'], rows: [[cell]] })).toBe(`\uFEFFa\r\n${field}\r\n`)
})

test('names of files have letters and digits of every script', () => {
  expect(toFileName('Antworten: Größe / 東京', 'people')).toBe('antworten-größe-東京-people.csv')
  expect(toFileName('../../etc', '')).toBe('etc.csv')
})
