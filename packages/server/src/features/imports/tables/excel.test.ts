/** Excel files: one written by another program, and malicious ones. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openTable } from '../tables/open-table.ts'
import { EXCEL_BYTES_MAX, fileOf, listRows, open, readAll, toExcel, toZip } from '../testing/tables.ts'

const written = readFileSync(new URL('../testing/openpyxl.xlsx', import.meta.url))

test('values have their types, and empty rows are left out', async () => {
  const table = await open(written, 'rows.xlsx')
  expect(table).toMatchObject({
    source: { format: 'excel', sheet: 'Rows', header: true },
    sheets: ['Rows', 'Other sheet'],
    columns: ['id', 'text', 'when', 'at', 'n', 'ok', 'empty'],
  })
  expect(await listRows(table)).toEqual([
    [1, 'héllo & <b>', '2026-11-18', '2026-11-18T05:30:00', 1.5, true, null],
    // A formula without a cached result has no value.
    [2, 'two\nlines', '1999-12-31', '2000-01-01T00:00:01', -3, false, null],
    'The row has 8 values; expected at most 7, as many as there are columns',
  ])
})

test('another sheet is read, with names for its columns', async () => {
  const table = await open(written, 'rows.xlsx', { format: 'excel', sheet: 'Other sheet' })
  expect(table.columns).toEqual(['a', 'a_2'])
  const bare = await open(written, 'rows.xlsx', { format: 'excel', sheet: 'Other sheet', header: false })
  expect(await listRows(bare)).toEqual(expect.arrayContaining([['a', 'a']]))
  await expect(open(written, 'rows.xlsx', { format: 'excel', sheet: 'No' })).rejects.toThrow('Sheets: Rows, Other sheet')
})

test('goes on after any row', async () => {
  const table = await open(written, 'rows.xlsx')
  const rows = await readAll(table)
  for (const [index, { end }] of rows.entries()) expect(await readAll(table, end)).toEqual(rows.slice(index + 1))
})

const text = (cell: string, value: string) => `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`
const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`

test('texts of cells are read in all their forms', async () => {
  const shared = '<sst><si><t>one</t></si><si><r><t>t</t></r><r><t>wo</t></r><rPh><t>x</t></rPh></si></sst>'
  const cells =
    '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="str"><v>three</v></c><c t="e"><v>#N/A</v></c><c t="s"><v>99</v></c>'
  const sheet = sheetOf(
    `<row>${text('A1', 'a')}<c t="str"><v>b</v></c><c t="b"><v>1</v></c>${text('D1', '&lt;')}${text('E1', 'e')}</row><row>${cells}</row>`,
  )
  const table = await open(toExcel(sheet, { 'xl/sharedStrings.xml': shared }), 'a.xlsx')
  expect(table.columns).toEqual(['a', 'b', 'true', '<', 'e'])
  expect(await listRows(table)).toEqual([['one', 'two', 'three', '#N/A', null]])
})

const cellOf = (value: string, attributes = '') => `<c ${attributes}><v>${value}</v></c>`

test.each([
  { what: 'one value of many parts', cells: `<c t="str">${`<v>${'x'.repeat(1_000_000)}</v>`.repeat(20)}</c>` },
  { what: 'many values of one character', cells: `<c t="str">${'<v>x</v>'.repeat(1_000_000)}</c>` },
  { what: 'one text many times', cells: cellOf('0', 't="s"').repeat(20) },
])('a row of $what is rejected, and the next one is read', async ({ cells }) => {
  const shared = `<sst><si><t>${'x'.repeat(1_000_000)}</t></si></sst>`
  const sheet = sheetOf(`<row>${text('A1', 'a')}</row><row>${cells}</row><row>${cellOf('2')}</row>`)
  const table = await open(toExcel(sheet, { 'xl/sharedStrings.xml': shared }), 'a.xlsx')
  expect(await listRows(table)).toEqual(['The row is larger than 16 MiB', [2]])
})

test('large rows count with their size, so that few are in memory', async () => {
  const shared = `<sst><si><t>${'x'.repeat(1_000_000)}</t></si></sst>`
  const sheet = sheetOf(`<row>${text('A1', 'a')}</row>${`<row>${cellOf('0', 't="s"')}</row>`.repeat(3)}`)
  const rows = await readAll(await open(toExcel(sheet, { 'xl/sharedStrings.xml': shared }), 'a.xlsx'))
  expect(rows.map(({ end }) => Math.floor(end.byte / 1_000_000))).toEqual([1, 2, 3])
})

test('numbers that are not dates of Excel stay numbers', async () => {
  const styles = `<s><numFmts><numFmt numFmtId="170" formatCode="${'['.repeat(300_000)}"/></numFmts><cellXfs><xf numFmtId="14"/></cellXfs></s>`
  const numbers = [2_958_465, 2_958_466, 1e300, -1, 0]
  const sheet = sheetOf(`<row>${text('A1', 'a')}</row>${numbers.map(n => `<row>${cellOf(String(n), 's="0"')}</row>`).join('')}`)
  const rows = await listRows(await open(toExcel(sheet, { 'xl/styles.xml': styles }), 'a.xlsx'))
  expect(rows).toEqual([['9999-12-31'], [2_958_466], [1e300], [-1], ['00:00:00']])
})

test.each<{ code: string; number: number; value: unknown; is1904?: boolean }>([
  // Excel shows a February 29 that did not exist.
  { code: 'yyyy-mm-dd', number: 60, value: 60 },
  { code: 'yyyy-mm-dd h:mm', number: 46_344.25, value: '2026-11-18T06:00:00' },
  { code: 'h:mm', number: 0.25, value: '06:00:00' },
  { code: 'h:mm AM/PM', number: 0, value: '00:00:00' },
  { code: 'h:mm', number: 46_344.25, value: '2026-11-18T06:00:00' },
  { code: 'mm:ss.000', number: 0.5 + 1 / 86_400_000, value: '12:00:00.001' },
  { code: '[h]:mm', number: 1.5, value: '36:00:00' },
  { code: '[Red]0.0', number: 1.5, value: 1.5 },
  { code: '"days" 0', number: 1.5, value: 1.5 },
  { code: 'yyyy-mm-dd', number: -1, value: -1 },
  { code: 'yyyy-mm-dd', number: 0.5, value: '12:00:00' },
  { code: 'yyyy-mm-dd h:mm', number: 0.5, value: '1904-01-01T12:00:00', is1904: true },
  { code: 'h:mm', number: 0.5, value: '12:00:00', is1904: true },
])('$number as `$code` is $value', async ({ code, number, value, is1904 = false }) => {
  const format = code.replaceAll('"', '&quot;')
  const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`
  const sheet = sheetOf(`<row>${text('A1', 'a')}</row><row><c r="A2" s="0"><v>${number}</v></c></row>`)
  const workbook = `<workbook xmlns:r="r"><workbookPr date1904="${is1904}"/><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>`
  const table = await open(toExcel(sheet, { 'xl/styles.xml': styles, 'xl/workbook.xml': workbook }), 'a.xlsx')
  expect(await listRows(table)).toEqual([[value]])
})

const row = `<row>${text('A1', 'a')}</row>`

test.each([
  {
    what: 'a bomb',
    content: () => toExcel(sheetOf(row + row.repeat((1.2 * EXCEL_BYTES_MAX) / row.length))),
    reason: /unpacks to more than 32 MiB/,
  },
  {
    what: 'one value without end',
    content: () => toExcel(sheetOf(`${row}<row>${text('A2', 'x'.repeat(17_000_000))}</row>`)),
    reason: /larger than 16 MiB/,
  },
  {
    what: 'entities',
    content: () => toExcel(`<!DOCTYPE a [<!ENTITY x "y">]>${sheetOf(`${row}<row>${text('A2', '&x;')}</row>`)}`),
    reason: /damaged/,
  },
  { what: 'deep XML', content: () => toExcel(sheetOf(`${row}${'<a>'.repeat(100)}`)), reason: /more than 100 levels/ },
  {
    what: 'a directory of long names',
    content: () => toZip(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${'x'.repeat(60_000)}${index}`, '']))),
    reason: /more than 2 MiB/,
  },
  {
    what: 'a first row that is too large',
    content: () => toExcel(sheetOf(`<row><c t="str">${`<v>${'x'.repeat(1_000_000)}</v>`.repeat(20)}</c></row>`)),
    reason: /first row of sheet `One` is larger/,
  },
  { what: 'broken XML', content: () => toExcel(`${sheetOf(row)}</b>`), reason: /damaged/ },
  {
    what: 'a cell beyond all columns',
    content: () => toExcel(sheetOf(text('ZZZZZ1', 'x') && `<row>${text('ZZZZZ1', 'x')}</row>`)),
    reason: /beyond the last column/,
  },
  { what: 'too many columns', content: () => toExcel(sheetOf(`<row>${text('XFD1', 'x')}</row>`)), reason: /16384 columns/ },
  { what: 'no rows', content: () => toExcel(sheetOf('')), reason: /no rows/ },
  { what: 'another archive', content: () => toZip({ 'a.txt': 'a' }), reason: /not an Excel file/ },
  { what: 'half of a file', content: () => written.subarray(0, written.length / 2), reason: /not an Excel file/ },
  { what: 'a directory outside the file', content: () => withEnd(2 ** 31), reason: /damaged: it names bytes/ },
  { what: 'a part outside the file', content: () => withPart(2 ** 31), reason: /damaged: it names bytes/ },
  {
    what: 'nothing but its name',
    content: () => Buffer.from('a,b'),
    reason: /^The content of the file is not an Excel workbook \(\.xlsx\), although its name ends in `\.xlsx`\. Save it/,
  },
])('$what is refused', async ({ content, reason }) => {
  await expect(open(content(), 'a.xlsx').then(readAll)).rejects.toThrow(reason)
})

/** A file whose end says that the directory is elsewhere. */
function withEnd(directory: number): Buffer {
  const bytes = toExcel(sheetOf(row))
  bytes.writeUInt32LE(directory, bytes.length - 6)
  return bytes
}
/** A file whose directory says that the first part is elsewhere. */
function withPart(part: number): Buffer {
  const bytes = toExcel(sheetOf(row))
  bytes.writeUInt32LE(part, bytes.indexOf('PK\x01\x02') + 42)
  return bytes
}

test('thousands of parts are found with few reads', async () => {
  const parts = Object.fromEntries(Array.from({ length: 9_900 }, (_, i) => [`xl/media/image${i}.png`, '']))
  const file = fileOf(toExcel(sheetOf(row), parts), 'a.xlsx')
  let reads = 0
  const read = (start: number, end: number) => {
    reads++
    return file.read(start, end)
  }
  const table = await openTable({ ...file, read }, null, { excelBytesMax: EXCEL_BYTES_MAX })
  expect(table.columns).toEqual(['a'])
  expect(reads).toBeLessThan(10)
})

test('a preview that takes too long is refused', async () => {
  const file = fileOf(toExcel(sheetOf(row)), 'a.xlsx')
  const opened = openTable(file, null, { excelBytesMax: EXCEL_BYTES_MAX, deadline: Date.now() - 1 })
  await expect(opened).rejects.toThrow(/took too long/)
})

test('a file with many empty texts is refused', async () => {
  const file = fileOf(toExcel(sheetOf(row), { 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(10_000_001)}</sst>` }), 'a.xlsx')
  await expect(openTable(file, null, { excelBytesMax: 128 * 1024 ** 2 })).rejects.toThrow(/more than 5 million texts/)
}, 60_000)
