/** Parquet files with wrong dictionaries, deltas, lengths, lists and footers. */
import { testHostile } from '../testing/hostile-parquet.ts'
import {
  BILLIONS,
  bytes,
  dataPage,
  delta,
  dictionaryPage,
  LIST,
  LIST_PATH,
  levels,
  list,
  MIB,
  numbers,
  one,
  plain,
  run,
  struct,
  u32,
  varint,
  zigzag,
} from '../testing/parquet-bytes.ts'

const DEEP = 20_000

testHostile([
  {
    what: 'billions of entries of a dictionary',
    file: { rows: 1, hasDictionary: true, pages: [dictionaryPage(one, { values: BILLIONS })] },
    reason: /at most/,
  },
  {
    what: 'more entries than a dictionary has bytes for',
    file: { rows: 1, hasDictionary: true, pages: [dictionaryPage(one, { values: 1_000_000 })] },
    reason: /1000000 values/,
  },
  {
    what: 'billions of deltas',
    file: { schema: [numbers], rows: BILLIONS, pages: [dataPage(delta(128, 4, BILLIONS), { values: BILLIONS, encoding: 5 })] },
    reason: /at most/,
  },
  {
    what: 'deltas with billions of miniblocks',
    file: {
      schema: [{ ...numbers, type: 2 }],
      rows: 2,
      pages: [dataPage(delta(BILLIONS, BILLIONS, 2, zigzag(0)), { values: 2, encoding: 5 })],
    },
    reason: /blocks/,
  },
  {
    what: 'deltas that never end',
    file: {
      schema: [numbers],
      rows: 2,
      pages: [dataPage(delta(128, 0xfffffffe, 2, zigzag(0), bytes(0, 0, 0)), { values: 2, encoding: 5 })],
    },
    reason: /blocks/,
  },
  {
    what: 'a delta of a million bytes',
    file: {
      schema: [{ ...numbers, type: 2 }],
      rows: 2,
      pages: [dataPage(delta(128, 4, 2, Buffer.alloc(MIB, 0xff)), { values: 2, encoding: 5 })],
    },
    reason: /number/,
  },
  {
    what: 'prefixes of texts that do not exist',
    file: {
      rows: 1,
      pages: [
        dataPage(
          Buffer.concat([varint(128), varint(4), varint(1), zigzag(BILLIONS), varint(128), varint(4), varint(1), zigzag(0)]),
          { values: 1, encoding: 7 },
        ),
      ],
    },
    reason: /prefix/,
  },
  {
    what: 'a text that reaches beyond its page',
    file: {
      rows: 2,
      pages: Array.from({ length: 2 }, () => dataPage(Buffer.concat([u32(60), bytes(65)]), { values: 1 })).concat(
        Buffer.alloc(100),
      ),
    },
    reason: /beyond/,
  },
  {
    what: 'values of a fixed length that reach beyond their page',
    file: {
      schema: [{ name: 'text', type: 7, length: 60 }],
      rows: 2,
      pages: [dataPage(bytes(65), { values: 1 }), Buffer.alloc(100)],
    },
    reason: /1 values/,
  },
  {
    what: 'a decimal of a million bytes',
    file: {
      schema: [{ name: 'text', type: 6, converted: 5 }],
      rows: 1,
      pages: [dataPage(plain(Buffer.alloc(MIB, 1)), { values: 1 })],
    },
    reason: /DECIMAL/,
  },
  {
    what: 'billions of values in a list',
    file: {
      schema: LIST,
      path: LIST_PATH,
      rows: 1,
      values: BILLIONS,
      pages: [dataPage(Buffer.concat([levels(run(BILLIONS, 1)), levels(run(BILLIONS, 3))]), { values: BILLIONS })],
    },
    reason: /at most/,
  },
  {
    what: 'a list with a long run of levels',
    file: {
      schema: LIST,
      path: LIST_PATH,
      rows: 1,
      pages: [dataPage(Buffer.concat([levels(run(BILLIONS, 1)), levels(run(1, 3))]), { values: 1 })],
    },
    reason: /run of/,
  },
  {
    what: 'lists at the depth of 20000',
    file: {
      schema: [...Array.from({ length: DEEP }, () => ({ name: 'text', children: 1, repetition: 2 })), numbers],
      rows: 1,
      pages: [dataPage(one, { values: 1 })],
    },
    reason: /deep/,
  },
  {
    what: 'fewer values than rows',
    file: { rows: 2n ** 40n, values: 1, pages: [dataPage(one, { values: 1 })] },
    reason: /1099511627776 rows.*1 values/,
  },
  {
    what: 'fewer values in its pages than rows',
    file: { rows: 3, pages: [dataPage(one, { values: 1 })] },
    reason: /values of 1 rows; expected at least 3/,
  },
  { what: 'a negative number of rows', file: { rows: -1n, pages: [dataPage(one, { values: 1 })] }, reason: /rows/ },
  {
    what: 'a column beyond the end of the file',
    file: { rows: 1, size: 1_000_000, pages: [dataPage(one, { values: 1 })] },
    reason: /beyond the end/,
  },
  {
    what: 'a column with a negative size',
    file: { rows: 1, size: -(2n ** 40n), pages: [dataPage(one, { values: 1 })] },
    reason: /beyond the end/,
  },
  {
    what: 'a list of billions in the footer',
    file: { rows: 1, pages: [dataPage(one, { values: 1 })], extra: [list(8, 5, [], BILLIONS)] },
    reason: /list of 2147483647/,
  },
  {
    what: 'a number of a million bytes in the footer',
    file: { rows: 1, pages: [dataPage(one, { values: 1 })], extra: [[8, 6, Buffer.alloc(MIB, 0xff)]] },
    reason: /number/,
  },
  {
    what: 'a list of billions in the header of a page',
    file: { rows: 1, pages: [Buffer.concat([struct(list(9, 5, [], 2 ** 25)), one])] },
    reason: /list of/,
  },
])
