/** Decimals and times of Parquet files arrive as they were written. */
import { describe, expect, test } from 'vitest'
import { dataPage, type Element, levels, run, TEXT, toFile } from '../imports/testing/parquet-bytes.ts'
import { listRows, open } from '../imports/testing/tables.ts'
import { toDecimal } from './parquet-exact.ts'

const int64 = (...values: bigint[]) =>
  Buffer.concat(
    values.map(value => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(value)
      return bytes
    }),
  )
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
/** Big-endian, in 16 bytes. */
const int128 = (value: bigint) => Buffer.from(BigInt.asUintN(128, value).toString(16).padStart(32, '0'), 'hex')

const read = async (element: Element, ...values: Buffer[]) => {
  const file = toFile({
    schema: [element],
    rows: values.length,
    pages: [dataPage(Buffer.concat(values), { values: values.length })],
  })
  return (await listRows(await open(file, 'a.parquet'))).flat()
}

describe('decimals', () => {
  const decimal = { name: 'text', converted: 5 }
  test('of 4 bytes', async () => {
    expect(await read({ ...decimal, type: 1, scale: 1 }, int32(3), int32(-12345), int32(0))).toEqual([0.3, -1234.5, 0])
  })

  test('of 8 bytes', async () => {
    const values = [int64(9999999999999999n), int64(-110n), int64(1234567890123n)]
    expect(await read({ ...decimal, type: 2, scale: 2 }, ...values)).toEqual(['99999999999999.99', -1.1, 12345678901.23])
  })

  test('of any length, with all digits', async () => {
    const values = [1234567890123456789012n, -1234567890123456789012n, 150n].map(int128)
    const rows = await read({ ...decimal, type: 7, length: 16, scale: 2 }, ...values)
    expect(rows).toEqual(['12345678901234567890.12', '-12345678901234567890.12', 1.5])
  })

  test('in a list', async () => {
    const schema: Element[] = [
      { name: 'text', children: 1, repetition: 0, converted: 3 },
      { name: 'list', children: 1, repetition: 2 },
      { name: 'element', type: 2, repetition: 0, converted: 5, scale: 2 },
    ]
    const items = Buffer.concat([levels(Buffer.concat([run(1, 0), run(1, 1)])), levels(run(2, 1)), int64(9999999999999999n, 30n)])
    const file = toFile({
      schema,
      path: ['text', 'list', 'element'],
      rows: 1,
      values: 2,
      pages: [dataPage(items, { values: 2 })],
    })
    expect(await listRows(await open(file, 'a.parquet'))).toEqual([[['99999999999999.99', 0.3]]])
  })

  test('with a scale that nobody writes are refused', async () => {
    await expect(read({ ...decimal, type: 1, scale: 2 ** 31 - 1 }, int32(3))).rejects.toThrow(/decimal with scale/)
    await expect(read({ ...decimal, type: 1, scale: -1 }, int32(3))).rejects.toThrow(/decimal with scale/)
  })

  test.each([
    [0n, 0, 0],
    [5n, 3, 0.005],
    [100n, 2, 1],
    [9007199254740993n, 0, '9007199254740993'],
    [9007199254740992n, 0, 9007199254740992],
    [1n, 20, 1e-20],
  ])('%s of scale %i is %s', (unscaled, scale, expected) => {
    expect(toDecimal(unscaled, scale)).toBe(expected)
  })
})

describe('times', () => {
  const micros = { name: 'text', type: 2, converted: 10 }
  test('keep their microseconds, also before 1970', async () => {
    const values = [1_700_000_000_123_456n, 1_700_000_000_123_000n, -1n].map(value => int64(value))
    expect(await read(micros, ...values)).toEqual([
      '2023-11-14T22:13:20.123456Z',
      '2023-11-14T22:13:20.123Z',
      '1969-12-31T23:59:59.999999Z',
    ])
  })

  test('of INT96 keep their nanoseconds', async () => {
    const bytes = Buffer.concat([int64(1n), int32(2_440_588)])
    expect(await read({ name: 'text', type: 3 }, bytes)).toEqual(['1970-01-01T00:00:00.000000001Z'])
  })
})

test('other columns are as before', async () => {
  const file = toFile({ schema: [TEXT], rows: 1, pages: [dataPage(Buffer.from('\x01\0\0\0a', 'latin1'), { values: 1 })] })
  expect(await listRows(await open(file, 'a.parquet'))).toEqual([['a']])
})
