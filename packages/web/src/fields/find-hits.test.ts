import { processorMs } from '@postil/domain/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { findHits, toUnits } from './find-hits.ts'

const word = (text: string) => ({ text, isPrefix: false })
const prefix = (text: string) => ({ text, isPrefix: true })

describe('hits of a search', () => {
  test.each([
    { why: 'whole words, whatever their case', text: 'Fox and foxes, FOX', terms: [word('fox')], hits: ['Fox', 'FOX'] },
    { why: 'signs that mean something in a pattern', text: 'a fox( b', terms: [word('fox(')], hits: ['fox'] },
    { why: 'only signs', text: 'a.*b (', terms: [word('.*('), word('')], hits: [] },
    { why: 'the start of a word', text: 'refund, refunded, fund', terms: [prefix('refun')], hits: ['refund', 'refunded'] },
    { why: 'accents', text: 'Café CAFE cafés', terms: [word('cafe')], hits: ['Café', 'CAFE'] },
    { why: 'after an emoji', text: 'yeah 🚀 rocket', terms: [word('rocket')], hits: ['rocket'] },
    { why: 'two words that belong together', text: 'late fee, fee late', terms: [word('late fee')], hits: ['late fee'] },
    { why: 'a script without spaces', text: '東京都に住む', terms: [word('東京')], hits: ['東京'] },
    { why: 'two terms on one word', text: 'refund', terms: [word('refund'), prefix('re')], hits: ['refund'] },
    { why: 'the longest of several', text: 'late fee', terms: [word('late'), word('late fee')], hits: ['late fee'] },
  ])('$why', ({ text, terms, hits }) => {
    expect(findHits(text, terms).map(([start, end]) => text.slice(start, end))).toEqual(hits)
  })

  test('a long text with very many hits is marked up to a limit, and soon', async () => {
    const find = () => expect(findHits('fox '.repeat(50_000), [word('fox')])).toHaveLength(2000)
    expect(await processorMs(find)).toBeLessThan(2000)
  })
})

test.each([
  { ranges: [[5, 11]] as [number, number][], slices: ['rocket'] },
  {
    ranges: [
      [5, 11],
      [0, 1],
    ] as [number, number][],
    slices: ['🚀', 'rocket'],
  },
  {
    ranges: [
      [40, 50],
      [3, 3],
    ] as [number, number][],
    slices: [],
  },
])('ranges of the server are code points: $ranges', ({ ranges, slices }) => {
  const text = '🚀 🚀  rocket'
  expect(toUnits(text, ranges).map(([start, end]) => text.slice(start, end))).toEqual(slices)
})
