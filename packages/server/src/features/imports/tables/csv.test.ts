/** CSV: which rows are read, which are rejected, and where reading continues. */
import { describe, expect, test } from 'vitest'
import { listRows, open, readAll } from '../testing/tables.ts'
import { ROW_BYTES_MAX } from './table.ts'

const row = (...values: (string | null)[]) => values

test.each([
  { what: 'plain values', content: 'a,b\n1,2\n3,4', rows: [row('1', '2'), row('3', '4')] },
  { what: 'line ends of Windows and of old Macs', content: 'a,b\r\n1,2\r3,4\r\n', rows: [row('1', '2'), row('3', '4')] },
  { what: 'quotes, separators and lines in values', content: 'a,b\n"x ""y""","1,\r\n2"\n', rows: [row('x "y"', '1,\r\n2')] },
  { what: 'no values, and empty ones', content: 'a,b\n,\n"",x\n', rows: [row(null, null), row('', 'x')] },
  { what: 'no values where all are quoted', content: '"a","b"\n"",""\n"","x"\n', rows: [row(null, null), row(null, 'x')] },
  { what: 'marks of formulas', content: "a,b\n'\u2060=1,'=1\n", rows: [row('=1', "'=1")] },
  { what: 'empty lines', content: 'a,b\n\n1,2\n\n\n3,4\n\n', rows: [row('1', '2'), row('3', '4')] },
  { what: 'quotes inside of a value', content: 'a,b\n5" long,it"s\n', rows: [row('5" long', 'it"s')] },
  { what: 'semicolons', content: 'a;b\n1,5;2\n3,5;4\n', rows: [row('1,5', '2'), row('3,5', '4')] },
  { what: 'tabs', content: 'a\tb\n1\t2\n', rows: [row('1', '2')] },
  { what: 'bars', content: 'a|b\n1|2\n', rows: [row('1', '2')] },
  { what: 'a byte order mark', content: '\ufeffa,b\n1,2\n', rows: [row('1', '2')] },
  { what: 'the line of a spreadsheet', content: 'sep=;\na;b\n1;2\n', rows: [row('1', '2')] },
  { what: 'UTF-16', content: Buffer.from('\ufeffa,b\né,2\n', 'utf16le'), rows: [row('é', '2')] },
  { what: 'windows-1252', content: Buffer.from('a,b\n\xe9,\x80\n', 'latin1'), rows: [row('é', '€')] },
  { what: 'letters of all alphabets', content: 'a,b\n日本語,🎉\n', rows: [row('日本語', '🎉')] },
  { what: 'many empty lines', content: `a,b\n1,2\n${'\n'.repeat(50_000_000)}3,4`, rows: [row('1', '2'), row('3', '4')] },
  { what: 'names of the prototype', content: '__proto__,constructor\nx,y\n', rows: [row('x', 'y')] },
])('reads $what', async ({ content, rows }) => {
  const table = await open(content, 'rows.csv')
  expect(await listRows(table)).toEqual(rows)
})

test('reads what is given', async () => {
  const source = { format: 'csv', separator: '#', quote: "'", header: false } as const
  const table = await open("1#'2#3'\n", 'rows.csv', source)
  expect(table).toMatchObject({ columns: ['column_1', 'column_2'], source: { ...source, encoding: 'utf-8' } })
  expect(await listRows(table)).toEqual([row('1', '2#3')])
})

test.each([
  { columns: ',a', names: ['column_1', 'a'], problem: 'Column 1 has no name; it is called `column_1`' },
  { columns: 'a,a,a_2', names: ['a', 'a_3', 'a_2'], problem: 'Column 2 is the second `a`; it is called `a_3`' },
])('names columns of $columns', async ({ columns, names, problem }) => {
  const table = await open(`${columns}\n`, 'rows.csv')
  expect(table).toMatchObject({ columns: names, problems: [problem] })
})

const COUNT = /^The row has \d values?; expected 2/

test.each([
  { what: 'too many and too few values', content: '1,2,3\n1\n5,6', rows: [COUNT, COUNT, row('5', '6')] },
  {
    what: 'a quote that never ends',
    content: '1,"2\n3,4\n5,6',
    rows: ['A quote begins a value and never ends', row('3', '4'), row('5', '6')],
  },
  {
    what: 'many quotes that never end',
    content: '",x","\n'.repeat(50_000),
    rows: Array(50_000).fill('A quote begins a value and never ends'),
  },
  {
    what: 'many quotes before text after a quote',
    content: `${'",x","\n'.repeat(50_000)}" x\n3,4`,
    rows: [...Array(50_000).fill('There is text after the quote that ends a value'), expect.anything(), row('3', '4')],
  },
  {
    what: 'a quote that never ends before others that do',
    content: '1,"2\n"3","4\n5,6',
    rows: ['There is text after the quote that ends a value', 'A quote begins a value and never ends', row('5', '6')],
  },
  {
    what: 'text after a quote',
    content: '1,"2" x\n3,4',
    rows: ['There is text after the quote that ends a value', row('3', '4')],
  },
  {
    what: 'two quotes that are missing',
    content: '1,"2\n3,"4\n5,6',
    rows: ['There is text after the quote that ends a value', 'A quote begins a value and never ends', row('5', '6')],
  },
  {
    what: 'bytes that are not UTF-8',
    content: Buffer.from('1,\xff\n3,4', 'latin1'),
    rows: ['The row is not utf-8 text', row('3', '4')],
  },
  {
    what: 'a line that is too long',
    content: `1,${'x'.repeat(ROW_BYTES_MAX + 2_000_000)}\n3,4`,
    rows: [/^The row is larger than 16 MiB/, row('3', '4')],
  },
  {
    what: 'a quote that does not end for long',
    content: `1,"x\n3,4\n5,6\n${`${'7'.repeat(1_000_000)},8\n`.repeat(17)}`,
    rows: [/does not end within 16 MiB/, row('3', '4'), row('5', '6')],
  },
])('rejects $what, and reads on', async ({ content, rows }) => {
  const table = await open(Buffer.concat([Buffer.from('a,b\n'), Buffer.from(content)]), 'rows.csv', {
    format: 'csv',
    encoding: 'utf-8',
  })
  const read = await listRows(table)
  for (const [index, expected] of rows.entries()) {
    if (expected instanceof RegExp) expect(read[index]).toMatch(expected)
    else expect(read[index]).toEqual(expected)
  }
})

describe('the file is refused', () => {
  test.each([
    { what: 'that is empty', content: '\n\n', reason: /no rows/ },
    { what: 'with 100,000 columns', content: `${'a,'.repeat(100_000)}\n`, reason: /100001 columns; expected at most 2000/ },
    { what: 'with a name without end', content: `${'a'.repeat(600)},b\n`, reason: /600 characters/ },
    { what: 'that is not a text', content: 'a,b\n\0\0\x01,2\n', reason: /not a text/ },
    { what: 'of old Excel', content: Buffer.from('d0cf11e0a1b11ae1', 'hex'), reason: /Save it as \.xlsx/ },
    { what: 'that is compressed', content: Buffer.from('1f8b0800', 'hex'), reason: /gzip/ },
    { what: 'whose first row has no end', content: 'a,"b\n1,2\n', reason: /first row cannot be read/ },
  ])('$what', async ({ content, reason }) => {
    await expect(open(content, 'rows.csv')).rejects.toThrow(reason)
  })

  test.each([{ separator: 'é' }, { separator: '"' }, { quote: '\n' }])('for %j', async source => {
    await expect(open('a,b\n', 'rows.csv', { format: 'csv', ...source })).rejects.toThrow(/separator|quote/)
  })
})

test.each([
  { encoding: 'utf-8' as const, content: Buffer.from('a,b\n1,é\n\n"2\n",x\nbad\n3,y\n') },
  { encoding: 'utf-16le' as const, content: Buffer.from('\ufeffa,b\n1,é\n\n"2\n",x\nbad\n3,y\n', 'utf16le') },
])('goes on after any row of $encoding', async ({ content, encoding }) => {
  const table = await open(content, 'rows.csv', { format: 'csv', encoding })
  const rows = await readAll(table)
  expect(rows.map(({ no }) => no)).toEqual([1, 2, 3, 4])
  for (const [index, { end }] of rows.entries()) expect(await readAll(table, end)).toEqual(rows.slice(index + 1))
})
