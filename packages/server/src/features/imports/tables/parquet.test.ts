/** Parquet files of all encodings are read, and large values are limited. */
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import {
  bytes,
  dataPage,
  dataPage2,
  delta,
  dictionaryPage,
  type FileOptions,
  LIST,
  LIST_PATH,
  levels,
  MIB,
  numbers,
  one,
  optional,
  plain,
  run,
  toFile,
  u32,
  varint,
  zigzag,
  zstdZeros,
} from '../testing/parquet-bytes.ts'
import { open } from '../testing/tables.ts'

const memory = () => process.memoryUsage().rss

describe('a file by bytes', () => {
  const dictionary = dictionaryPage(plain('a', 'b'), { values: 2 })
  const indexes = Buffer.concat([bytes(1), run(2, 1), run(1, 0)])
  test.each<{ what: string; file: FileOptions; rows: unknown[] }>([
    { what: 'plain texts', file: { rows: 2, pages: [dataPage(plain('a', 'b'), { values: 2 })] }, rows: ['a', 'b'] },
    {
      what: 'nulls',
      file: {
        schema: [optional],
        rows: 3,
        pages: [dataPage(Buffer.concat([levels(Buffer.concat([run(2, 0), run(1, 1)])), one]), { values: 3 })],
      },
      rows: [null, null, 'a'],
    },
    {
      what: 'a dictionary',
      file: { rows: 3, hasDictionary: true, pages: [dictionary, dataPage(indexes, { values: 3, encoding: 8 })] },
      rows: ['b', 'b', 'a'],
    },
    {
      what: 'a dictionary, in version 2',
      file: { rows: 3, hasDictionary: true, pages: [dictionary, dataPage2(indexes, { values: 3, encoding: 8 })] },
      rows: ['b', 'b', 'a'],
    },
    {
      what: 'packed bits',
      file: { rows: 3, hasDictionary: true, pages: [dictionary, dataPage(bytes(1, 3, 0b011), { values: 3, encoding: 8 })] },
      rows: ['b', 'b', 'a'],
    },
    {
      what: 'deltas',
      file: {
        schema: [numbers],
        rows: 3,
        pages: [dataPage(delta(128, 4, 3, zigzag(2), bytes(0, 0, 0, 0)), { values: 3, encoding: 5 })],
      },
      rows: [0, 2, 4],
    },
    {
      what: 'prefixes',
      file: {
        rows: 2,
        pages: [
          dataPage(
            Buffer.concat([
              varint(128),
              varint(4),
              varint(2),
              zigzag(0),
              zigzag(1),
              bytes(0, 0, 0, 0),
              varint(128),
              varint(4),
              varint(2),
              zigzag(1),
              zigzag(0),
              bytes(0, 0, 0, 0),
              Buffer.from('ab'),
            ]),
            { values: 2, encoding: 7 },
          ),
        ],
      },
      rows: ['a', 'ab'],
    },
    {
      what: 'lists',
      file: {
        schema: LIST,
        path: LIST_PATH,
        rows: 2,
        values: 3,
        pages: [dataPage(Buffer.concat([levels(bytes(3, 0b010)), levels(run(3, 3)), u32(1), u32(2), u32(3)]), { values: 3 })],
      },
      rows: [[1, 2], [3]],
    },
    {
      what: 'ZSTD',
      file: {
        codec: 6,
        rows: 1,
        pages: [dataPage(Buffer.concat([bytes(0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x29, 0, 0), one]), { values: 1, size: 5 })],
      },
      rows: ['a'],
    },
    {
      what: 'ZSTD that unpacks to more than it says',
      file: { codec: 6, rows: 1, pages: [dataPage(zstdZeros(8_000), { values: 1, size: 5 })] },
      rows: [''],
    },
    {
      what: 'many nulls in few bytes',
      file: { schema: [optional], rows: 3_000_000, pages: [dataPage(levels(run(3_000_000, 0)), { values: 3_000_000 })] },
      rows: [null, null],
    },
  ])('with $what is read', async ({ file, rows }) => {
    const table = await open(toFile(file), 'rows.parquet')
    const read: unknown[] = []
    for await (const { values } of table.rows(null)) if (read.push(values?.text) === rows.length) break
    expect(read).toEqual(rows)
  })
})

test('values that a dictionary repeats do not grow to more than the rows may have', async () => {
  // One value of 20 MiB, and one of 1 MiB in each of 999 rows; base64 makes a copy of each.
  const values = plain(Buffer.alloc(20 * MIB), Buffer.alloc(MIB))
  const indexes = Buffer.concat([bytes(1), run(1, 0), run(999, 1)])
  const content = toFile({
    schema: [{ name: 'text', type: 6 }],
    rows: 1_000,
    hasDictionary: true,
    pages: [dictionaryPage(values, { values: 2 }), dataPage(indexes, { values: 1_000, encoding: 8 })],
  })
  const table = await open(content, 'rows.parquet')
  const [first, second] = [await table.rows(null).next(), await Array.fromAsync(take(table.rows(null), 40))]
  expect(first.value).toMatchObject({ problem: { reason: expect.stringMatching(/larger than 16 MiB/) } })
  // A preview stops at 16 MiB, and a batch of an import at 32 MiB.
  expect(second[39]?.end.byte).toBeGreaterThan(39 * MIB)
})

async function* take<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count
  for await (const item of items) {
    yield item
    if (--left === 0) return
  }
}

test('a large row group of all kinds of columns is read to its end', async () => {
  const rows = 60_000
  const all = Array.from({ length: rows }, (_, row) => row)
  const content = Buffer.from(
    parquetWriteBuffer({
      rowGroupSize: rows,
      columnData: [
        { name: 'text', data: all.map(row => `${row} ${'text '.repeat(60)}`), type: 'STRING' },
        { name: 'class', data: all.map(row => (row % 7 === 0 ? null : `class ${row % 7}`)), type: 'STRING', nullable: true },
        { name: 'id', data: all.map(row => `document-${row}`), type: 'STRING', encoding: 'DELTA_BYTE_ARRAY' },
        { name: 'n', data: all, type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
        { name: 'big', data: all.map(BigInt), type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
        { name: 'length', data: all.map(row => `x${row}`), type: 'STRING', encoding: 'DELTA_LENGTH_BYTE_ARRAY' },
        { name: 'split', data: all.map(row => row / 2), type: 'DOUBLE', encoding: 'BYTE_STREAM_SPLIT' },
        { name: 'ok', data: all.map(row => row % 2 === 0), type: 'BOOLEAN' },
      ],
    }),
  )
  const before = memory()
  const table = await open(content, 'rows.parquet')
  let no = 0
  for await (const row of table.rows(null)) {
    expect(row.problem).toBeNull()
    if (no % 9_973 === 0)
      expect(row.values).toMatchObject({
        class: no % 7 === 0 ? null : `class ${no % 7}`,
        id: `document-${no}`,
        n: no,
        big: no,
        length: `x${no}`,
        split: no / 2,
        ok: no % 2 === 0,
      })
    no++
  }
  expect(no).toBe(rows)
  expect(memory() - before).toBeLessThan(500 * MIB)
}, 60_000)
