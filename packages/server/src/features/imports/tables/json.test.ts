/** JSON lines and JSON lists. */
import { describe, expect, test } from 'vitest'
import { listRows, open, readAll } from '../testing/tables.ts'
import { ROW_BYTES_MAX } from './table.ts'

describe('JSON lines', () => {
  test('have columns of all their keys', async () => {
    const table = await open('{"a":1}\n\n{"b":[1,{"x":"é"}],"a":null}\r\n{"__proto__":true}', 'rows.jsonl')
    expect(table.columns).toEqual(['a', 'b', '__proto__'])
    expect(await listRows(table)).toEqual([
      [1, null, null],
      [null, [1, { x: 'é' }], null],
      [null, null, true],
    ])
  })

  test.each([
    { line: '{"a":', reason: /not valid JSON/ },
    { line: '[1]', reason: /not an object/ },
    { line: '"a"', reason: /not an object/ },
    { line: `{"a":${'['.repeat(100_000)}`, reason: /not valid JSON/ },
    { line: '{"a":"\\u0000"}', reason: /NUL/ },
    { line: '{"a":1e999}', reason: /not valid JSON at a/ },
    { line: Buffer.from('{"a":"\xff"}', 'latin1'), reason: /UTF-8/ },
    { line: `{"a":"${'x'.repeat(ROW_BYTES_MAX)}"}`, reason: /larger than 16 MiB/ },
  ])('reject $reason, and go on', async ({ line, reason }) => {
    const content = Buffer.concat([Buffer.from('{"a":1}\n'), Buffer.from(line), Buffer.from('\n{"a":2}\n')])
    const [first, wrong, last] = await listRows(await open(content, 'rows.jsonl', { format: 'jsonl', encoding: 'utf-8' }))
    expect([first, last]).toEqual([[1], [2]])
    expect(wrong).toMatch(reason)
  })
})

test.each([
  { name: 'rows.jsonl', content: `{"a":1}\n${' \n'.repeat(20_000_000)}{"a":2}` },
  { name: 'rows.json', content: `[{"a":1},${' '.repeat(40_000_000)}{"a":2}]` },
  { name: 'rows.json', content: `[{"a":1}${', '.repeat(20_000_000)}{"a":2}]` },
])('much white space in $name takes little time', async ({ name, content }) => {
  expect(await listRows(await open(content, name))).toEqual([[1], [2]])
})

describe('JSON lists', () => {
  test.each([
    { content: '[{"a":1},{"a":2}]', path: '' },
    { content: ' [ {"a" : 1} , {"a":2} ] ', path: '' },
    { content: '{"version":"1, [2]","data":[{"a":1},{"a":2}],"more":[]}', path: 'data' },
    { content: '{"x":{"y":{"a":[1]}},"z":[]}', path: 'z', source: 'z', rows: null },
    { content: '{"x":{"n":1,"rows":[{"a":1},{"a":2}]}}', path: 'x.rows' },
    { content: '{"first":[{"b":1}],"second":[{"a":1},{"a":2}]}', path: 'second', source: 'second' },
  ])('are found in $content', async ({ content, path, source, rows = [[1], [2]] }) => {
    const opened = open(content, 'rows.json', source === undefined ? null : { format: 'json', path: source })
    if (rows === null) return expect(opened).rejects.toThrow('no rows')
    const table = await opened
    expect(table.source.path).toBe(path)
    expect(await listRows(table)).toEqual(rows)
  })

  test('with integers that a number cannot hold have their digits as texts', async () => {
    const values = [
      '12345678901234567890',
      '-9007199254740993',
      '9007199254740991',
      '0.1234567890123456',
      '1e16',
      '["1234567890123456789"]',
    ]
    const exact = [
      '12345678901234567890',
      '-9007199254740993',
      9007199254740991,
      0.1234567890123456,
      1e16,
      ['1234567890123456789'],
    ]
    for (const name of ['a.json', 'a.jsonl']) {
      const rows = values.map(value => `{"a":${value},"ü\\"":"1234567890123456789, \\"2\\""}`)
      const table = await open(name === 'a.json' ? `[${rows}]` : rows.join('\n'), name)
      expect(await listRows(table)).toEqual(exact.map(value => [value, '1234567890123456789, "2"']))
    }
  })

  test('reject items, and go on', async () => {
    const table = await open('[{"a":"]},{\\""},1,[{"a":1}],null,{"a":tru},{"a":2}]', 'rows.json')
    expect(await listRows(table)).toEqual([
      [']},{"'],
      'The row is not an object',
      'The row is not an object',
      'The row is not an object',
      expect.stringMatching('not valid JSON'),
      [2],
    ])
  })

  test.each([
    { content: '{"a":1}', reason: /not a list of objects/ },
    { content: '5', reason: /not a list of objects/ },
    { content: '[]', reason: /no rows/ },
    { content: '[1,2]', reason: /None of the first 2 rows/ },
    { content: '[{"a":1},{"a":', reason: /Row 2 has no end/ },
    { content: '[{"a":1},', reason: /cut off after row 1/ },
    { content: `[{"a":1},{"a":"${'x'.repeat(2 * ROW_BYTES_MAX)}`, reason: /Row 2 is larger than 16 MiB/ },
  ])('are refused: $reason', async ({ content, reason }) => {
    await expect(open(content, 'rows.json').then(readAll)).rejects.toThrow(reason)
  })

  test.each(['rows.json', 'rows.jsonl'])('go on after any row of %s', async name => {
    const items = ['{"a":1}', '{"a":"é"}', '{"a":[1,2]}']
    const table = await open(name === 'rows.json' ? `[${items.join(', ')}]` : items.join('\n'), name)
    const rows = await readAll(table)
    expect(rows).toHaveLength(3)
    for (const [index, { end }] of rows.entries()) expect(await readAll(table, end)).toEqual(rows.slice(index + 1))
  })
})

test.each([
  { name: 'a', content: '[{"a":1}]', format: 'json' },
  { name: 'a', content: '{"a":1}\n{"a":2}\n', format: 'jsonl' },
  { name: 'a', content: '{\n"rows":[{"a":1},\n{"a":2}]}', format: 'json' },
  { name: 'a.txt', content: 'a,b\n1,2\n', format: 'csv' },
  { name: 'a.tab', content: 'a\tb\n1\t2\n', format: 'tsv' },
  { name: 'A.NDJSON', content: '{"a":1}', format: 'jsonl' },
])('$name with $content is $format', async ({ name, content, format }) => {
  expect((await open(content, name)).source.format).toBe(format)
})
