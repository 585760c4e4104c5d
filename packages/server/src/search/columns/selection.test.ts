import { processorMs } from '@postil/domain/testing/processor-time'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Selection } from './selection.ts'

type Row = [first: number, second: number]

const BLOCK = 100

/** Adds rows block by block; a row's ordinal is its position. */
function select(rows: readonly Row[], from: number, to: number): number[] {
  const selection = new Selection(2, to)
  for (let start = 0; start < rows.length; start += BLOCK) {
    const block = rows.slice(start, start + BLOCK)
    const ordinals = Uint32Array.from(block, (_, i) => start + i)
    const first = Float64Array.from(block, row => row[0])
    const kept = selection.keepCandidates(ordinals, first, block.length)
    const second = Float64Array.from(ordinals.subarray(0, kept), ordinal => rows[ordinal]?.[1] ?? 0)
    selection.add(ordinals, [first, second], kept)
  }
  return [...selection.page(from, to)]
}

function sorted(rows: readonly Row[], from: number, to: number): number[] {
  const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)
  const rowAt = (i: number) => rows[i] as Row
  const order = rows.map((_, i) => i)
  order.sort((a, b) => compare(rowAt(a)[0], rowAt(b)[0]) || compare(rowAt(a)[1], rowAt(b)[1]) || a - b)
  return order.slice(from, to)
}

const INPUTS: [name: string, toRow: (i: number) => Row][] = [
  ['ascending', i => [i, 0]],
  ['descending', i => [-i, 0]],
  ['equal', () => [1, 1]],
  ['missing', () => [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]],
  ['up and down', i => [i % 1000 < 500 ? i : -i, i]],
  ['few values', i => [i % 3, -i]],
  ['scattered', i => [(i * 7919) % 104_729, i % 2]],
]

describe('a selection', () => {
  test('has the same page as a sort', () => {
    const key = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constant(Number.POSITIVE_INFINITY), fc.double({ noNaN: true }))
    const rows = fc.array(fc.tuple(key, key), { maxLength: 300 })
    const property = fc.property(rows, fc.nat({ max: 100 }), fc.nat({ max: 100 }), (rows, offset, limit) => {
      const end = Math.min(offset + limit, rows.length)
      if (offset < end) expect(select(rows, offset, end)).toEqual(sorted(rows, offset, end))
    })
    fc.assert(property)
  })

  test.each(INPUTS)('finds the first and a late page of many rows: %s', (_name, toRow) => {
    const rows = Array.from({ length: 30_000 }, (_, i) => toRow(i))
    expect(select(rows, 0, 50)).toEqual(sorted(rows, 0, 50))
    expect(select(rows, 20_000, 20_050)).toEqual(sorted(rows, 20_000, 20_050))
  })

  test.each(INPUTS)('takes time in proportion to the rows: %s', async (_name, toRow) => {
    const rows = Array.from({ length: 200_000 }, (_, i) => toRow(i))
    expect(await processorMs(() => select(rows, 0, 50))).toBeLessThan(10_000)
    expect(await processorMs(() => select(rows, 100_000, 100_050))).toBeLessThan(10_000)
  })
})
