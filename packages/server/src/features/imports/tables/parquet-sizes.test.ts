/** Parquet files whose pages declare more than they have: bytes, values, runs and nulls. */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { testHostile } from '../testing/hostile-parquet.ts'
import {
  BILLIONS,
  bytes,
  dataPage,
  dataPage2,
  dictionaryPage,
  levels,
  MIB,
  one,
  optional,
  run,
  snappyZeros,
  varint,
} from '../testing/parquet-bytes.ts'

testHostile([
  {
    what: 'a page that declares 2 GiB, in Snappy',
    file: { codec: 1, rows: 1, pages: [dataPage(one, { values: 1, size: BILLIONS })] },
    reason: /2,?048 MiB.*at most/,
  },
  {
    what: 'a page that declares 2 GiB, in GZIP',
    file: { codec: 2, rows: 1, pages: [dataPage(gzipSync(one), { values: 1, size: BILLIONS })] },
    reason: /at most/,
  },
  {
    what: 'a page that declares 2 GiB, in Brotli',
    file: { codec: 4, rows: 1, pages: [dataPage(brotliCompressSync(one), { values: 1, size: BILLIONS })] },
    reason: /at most/,
  },
  {
    what: 'a page that declares 2 GiB, in LZ4',
    file: { codec: 7, rows: 1, pages: [dataPage(one, { values: 1, size: BILLIONS })] },
    reason: /at most/,
  },
  {
    what: 'a page with a negative size',
    file: { codec: 1, rows: 1, pages: [dataPage(one, { values: 1, size: -1 })] },
    reason: /-1/,
  },
  {
    what: 'a page that unpacks to 600 MiB of texts',
    file: { codec: 1, rows: 1, pages: [dataPage(snappyZeros(600 * MIB), { values: 1, size: 600 * MIB })] },
    reason: /at most/,
  },
  {
    what: 'billions of required values',
    file: { rows: BILLIONS, pages: [dataPage(one, { values: BILLIONS })] },
    reason: /at most/,
  },
  {
    what: 'billions of values in a page of version 2',
    file: { rows: BILLIONS, pages: [dataPage2(one, { values: BILLIONS })] },
    reason: /at most/,
  },
  {
    what: 'billions of nulls',
    file: { schema: [optional], rows: BILLIONS, pages: [dataPage(levels(run(BILLIONS, 0)), { values: BILLIONS })] },
    reason: /at most/,
  },
  {
    what: 'a run of levels that is longer than its page',
    file: { schema: [optional], rows: 1, pages: [dataPage(levels(run(BILLIONS, 0)), { values: 1 })] },
    reason: /run of 2147483647/,
  },
  {
    what: 'a run of levels, in version 2',
    file: { schema: [optional], rows: 1, pages: [dataPage2(run(BILLIONS, 0), { values: 1, nulls: 1, definitions: 6 })] },
    reason: /run of 2147483647/,
  },
  {
    what: 'a negative number of nulls',
    file: { schema: [optional], rows: 1, pages: [dataPage2(run(1, 1), { values: 1, nulls: -BILLIONS, definitions: 2 })] },
    reason: /nulls/,
  },
  {
    what: 'levels that are longer than their page',
    file: { schema: [optional], rows: 1, pages: [dataPage2(run(1, 1), { values: 1, definitions: -5 })] },
    reason: /levels/,
  },
  {
    what: 'a run of indexes that is longer than its page',
    file: {
      rows: 1,
      hasDictionary: true,
      pages: [
        dictionaryPage(one, { values: 1 }),
        dataPage(Buffer.concat([bytes(1), run(BILLIONS, 0)]), { values: 1, encoding: 8 }),
      ],
    },
    reason: /run of 2147483647/,
  },
  {
    what: 'a run of indexes without bits',
    file: {
      rows: 1,
      hasDictionary: true,
      pages: [
        dictionaryPage(one, { values: 1 }),
        dataPage2(Buffer.concat([bytes(0), varint(0xffffffff)]), { values: 1, encoding: 8 }),
      ],
    },
    reason: /run of/,
  },
  {
    what: 'a run of booleans',
    file: {
      schema: [{ name: 'text', type: 0 }],
      rows: 1,
      pages: [dataPage(levels(run(BILLIONS, 1)), { values: 1, encoding: 3 })],
    },
    reason: /run of/,
  },
])
