import { anyText } from '@postil/domain/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { characterAt, characterBefore, openOffsets } from './offsets.ts'
import { snapToWords } from './words.ts'

/** Slices by code points, as Python does. */
const slice = (text: string, start: number, end: number) => [...text].slice(start, end).join('')

describe('offsets of a text', () => {
  test.each([
    { why: 'plain text', text: 'yeah rocket', points: 5, units: 5 },
    { why: 'before an emoji', text: '🚀 rocket', points: 0, units: 0 },
    { why: 'after an emoji', text: '🚀 rocket', points: 2, units: 3 },
    { why: 'after two emoji', text: '🚀🚀 rocket', points: 3, units: 5 },
    { why: 'a combining mark, which counts', text: 'e\u0301a', points: 2, units: 2 },
    { why: 'a family of five code points', text: '👩\u200d👩\u200d👧!', points: 5, units: 8 },
    { why: 'a line break of two characters, which both count', text: 'a\r\n🚀b', points: 4, units: 5 },
    { why: 'half a pair, which counts as one', text: '\ud83da🚀b', points: 3, units: 4 },
    { why: 'the end', text: 'a🚀', points: 2, units: 3 },
  ])('$why', ({ text, points, units }) => {
    const offsets = openOffsets(text)
    expect(offsets.toUnits(points)).toBe(units)
    expect(offsets.toPoints(units)).toBe(points)
  })

  test.each([
    { why: 'a place inside a pair is the one before it', text: 'a🚀b', units: 2, points: 1 },
    { why: 'a place past the end is the end', text: 'a🚀b', units: 99, points: 3 },
    { why: 'a place before the start is the start', text: 'a🚀b', units: -1, points: 0 },
  ])('$why', ({ text, units, points }) => {
    expect(openOffsets(text).toPoints(units)).toBe(points)
  })

  test('no range of the server reaches past the text', () => {
    expect(openOffsets('a🚀').toUnits(1_000)).toBe(3)
  })

  test('there and back is the same place, in any text', () => {
    fc.assert(
      fc.property(anyText(), text => {
        const offsets = openOffsets(text)
        const length = [...text].length
        const places = Array.from({ length: length + 1 }, (_, points) => points)
        expect(places.map(points => offsets.toPoints(offsets.toUnits(points)))).toEqual(places)
        const slices = places.map(points => slice(text, 0, points))
        expect(places.map(points => text.slice(0, offsets.toUnits(points)))).toEqual(slices)
      }),
    )
  })

  test('"rocket" marked after an emoji is the range that Python slices to "rocket"', () => {
    const text = 'yeah 🚀 rocket'
    const offsets = openOffsets(text)
    const at = text.indexOf('rocket')
    const range = snapToWords(text, { start: at + 2, end: at + 4 })
    expect(range).not.toBeNull()
    if (!range) return
    const span = { start: offsets.toPoints(range.start), end: offsets.toPoints(range.end) }
    expect(span).toEqual({ start: 7, end: 13 })
    expect(slice(text, span.start, span.end)).toBe('rocket')
  })
})

test('characters are taken whole from either side', () => {
  expect(characterAt('a🚀b', 1)).toBe('🚀')
  expect(characterBefore('a🚀b', 3)).toBe('🚀')
  expect(characterBefore('a🚀b', 1)).toBe('a')
  expect(characterBefore('a', 0)).toBe('')
  expect(characterAt('a', 1)).toBe('')
})
