import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findIdentical } from '../editing/identical.ts'
import { placeNames } from '../marks/name-places.ts'
import type { Span } from '../spans.ts'
import { chunksOf, indexAt } from './chunks.ts'
import { openOffsets } from './offsets.ts'
import { piecesOf } from './pieces.ts'

const paragraphs = (text: string) => chunksOf(text).flatMap(chunk => chunk.paragraphs)

describe('chunks of a text', () => {
  test.each([
    ['one', ['one']],
    ['', []],
    ['one\ntwo\r\nthree', ['one\n', 'two\r\n', 'three']],
    ['one\n\ntwo\n', ['one\n', '\n', 'two\n']],
  ])('%j has the paragraphs %j', (text, expected) => {
    expect(paragraphs(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected)
  })

  test('a long paragraph is parted between words, and each part runs as the first does', () => {
    const text = 'שלום '.repeat(2_000)
    const parts = paragraphs(text)
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
    expect(parts.slice(0, -1).every(({ end }) => text[end - 1] === ' ')).toBe(true)
    expect(new Set(parts.map(({ direction }) => direction))).toEqual(new Set(['rtl']))
  })

  test('no part begins inside a character', () => {
    const text = `a${'🚀'.repeat(5_000)}`
    expect(paragraphs(text).some(({ start }) => /^[\udc00-\udfff]/.test(text.slice(start, start + 1)))).toBe(false)
  })

  test('put together they are the text to the letter', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', ' ', '\n', '\r\n', '🚀', 'long '.repeat(900)), { maxLength: 40 }), parts => {
        const text = parts.join('')
        const drawn = paragraphs(text).map(({ start, end }) => text.slice(start, end))
        expect(drawn.join('')).toBe(text)
      }),
    )
  })

  test('a place is found in its chunk', () => {
    const chunks = chunksOf('word '.repeat(10_000))
    for (const at of [0, 1, 1_499, 1_500, 1_501, 49_999]) {
      const { start, end } = chunks[indexAt(chunks, at)] ?? { start: -1, end: -1 }
      expect(start <= at && at <= end).toBe(true)
    }
  })
})

describe('pieces of a paragraph', () => {
  const mark = (start: number, end: number, level = 0) => ({ start, end, level })
  const shape = (pieces: ReturnType<typeof piecesOf>) =>
    pieces.map(({ start, end, marks }) => `${start}-${end}:${marks.map(({ level }) => level).join('')}`)

  test.each([
    { why: 'plain', marks: [], expected: ['0-10:'] },
    { why: 'one mark', marks: [mark(2, 4)], expected: ['0-2:', '2-4:0', '4-10:'] },
    { why: 'marks side by side', marks: [mark(0, 4), mark(4, 10)], expected: ['0-4:0', '4-10:0'] },
    {
      why: 'marks over each other',
      marks: [mark(1, 5), mark(3, 8, 1)],
      expected: ['0-1:', '1-3:0', '3-5:01', '5-8:1', '8-10:'],
    },
    {
      why: 'marks that begin before and end after',
      marks: [mark(-5, 3), mark(8, 20)],
      expected: ['0-3:0', '3-8:', '8-10:0'],
    },
    { why: 'marks elsewhere', marks: [mark(-5, 0), mark(10, 20)], expected: ['0-10:'] },
  ])('$why', ({ marks, expected }) => {
    expect(shape(piecesOf({ start: 0, end: 10 }, marks))).toEqual(expected)
  })

  test('an empty paragraph has none', () => {
    expect(piecesOf({ start: 3, end: 3 }, [mark(0, 9)])).toEqual([])
  })
})

describe('identical strings', () => {
  const text = 'Lübeck, 🚀 Lübeck and Lübecker. Lübeck'
  const offsets = openOffsets(text)
  const at = (start: number, end: number, label = 'place'): Span => ({ start, end, label })

  test('are found as whole words, in code points', () => {
    const found = findIdentical(text, offsets, at(0, 6), { spans: [at(0, 6)], allow_overlapping: false })
    expect(found).toEqual([at(10, 16), at(31, 37)])
    expect(found.map(({ start, end }) => [...text].slice(start, end).join(''))).toEqual(['Lübeck', 'Lübeck'])
  })

  test('leave other marks alone', () => {
    const spans = [at(31, 37, 'person'), at(0, 6)]
    expect(findIdentical(text, offsets, at(0, 6), { spans, allow_overlapping: false })).toEqual([at(10, 16)])
    expect(findIdentical(text, offsets, at(0, 6), { spans, allow_overlapping: true })).toEqual([at(10, 16), at(31, 37)])
    expect(findIdentical(text, offsets, at(0, 6), { spans: [...spans, at(10, 16)], allow_overlapping: true })).toEqual([
      at(31, 37),
    ])
  })
})

describe('names under spans', () => {
  const name = (x: number, width: number, isRightToLeft = false, row = '0') => ({ x, width, row, isRightToLeft })
  test.each([
    {
      why: 'stand where the span begins',
      boxes: [name(10, 40), name(100, 40)],
      places: [
        [10, 40],
        [100, 40],
      ],
    },
    {
      why: 'the left one is cut',
      boxes: [name(10, 60), name(50, 40)],
      places: [
        [10, 35],
        [50, 40],
      ],
    },
    {
      why: 'whatever the order',
      boxes: [name(50, 40), name(10, 60)],
      places: [
        [50, 40],
        [10, 35],
      ],
    },
    {
      why: 'other rows do not matter',
      boxes: [name(10, 60), name(50, 40, false, '1')],
      places: [
        [10, 60],
        [50, 40],
      ],
    },
    {
      why: 'of two that begin together, the second moves on',
      boxes: [name(10, 60), name(10, 40)],
      places: [
        [10, 28],
        [43, 40],
      ],
    },
    {
      why: 'what moves on stays in the box',
      boxes: [name(160, 40), name(165, 35)],
      places: [
        [160, 28],
        [193, 7],
      ],
    },
    { why: 'stay in the box', boxes: [name(180, 60)], places: [[140, 60]] },
    { why: 'are never wider than the box', boxes: [name(180, 600)], places: [[0, 200]] },
    { why: 'right to left they end where the span begins', boxes: [name(100, 40, true)], places: [[60, 40]] },
    {
      why: 'right to left the right one is cut',
      boxes: [name(60, 40, true), name(100, 60, true)],
      places: [
        [20, 40],
        [65, 35],
      ],
    },
  ])('$why', ({ boxes, places }) => {
    expect(placeNames(boxes, 200).map(({ left, width }) => [left, width])).toEqual(places)
  })
})
