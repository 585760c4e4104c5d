import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addSpans,
  areEqualAnswers,
  areTouching,
  jump,
  levelsOf,
  readSpans,
  relabel,
  removeSpans,
  type Span,
  toggleLabel,
} from './spans.ts'

const at = (start: number, end: number, label = 'a'): Span => ({ start, end, label })
const apart = { allow_overlapping: false }
const stacked = { allow_overlapping: true }

describe('marking', () => {
  test.each([
    { why: 'the first', spans: [], added: [at(2, 4)], rule: apart, expected: [at(2, 4)] },
    { why: 'in the order of the text', spans: [at(5, 6)], added: [at(2, 4)], rule: apart, expected: [at(2, 4), at(5, 6)] },
    { why: 'next to another', spans: [at(0, 2)], added: [at(2, 4)], rule: apart, expected: [at(0, 2), at(2, 4)] },
    {
      why: 'in place of those it touches',
      spans: [at(0, 3), at(3, 6), at(6, 8)],
      added: [at(2, 4, 'b')],
      rule: apart,
      expected: [at(2, 4, 'b'), at(6, 8)],
    },
    { why: 'in place of one inside', spans: [at(3, 4)], added: [at(2, 6)], rule: apart, expected: [at(2, 6)] },
    { why: 'over others', spans: [at(0, 3)], added: [at(2, 4, 'b')], rule: stacked, expected: [at(0, 3), at(2, 4, 'b')] },
    {
      why: 'the same range with another label',
      spans: [at(0, 3)],
      added: [at(0, 3, 'b')],
      rule: stacked,
      expected: [at(0, 3), at(0, 3, 'b')],
    },
    { why: 'the same once more', spans: [at(0, 3)], added: [at(0, 3)], rule: stacked, expected: [at(0, 3)] },
  ])('$why', ({ spans, added, rule, expected }) => {
    expect(addSpans(spans, added, rule)).toEqual(expected)
  })

  test('without overlap no two spans ever touch', () => {
    const span = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 9 })).map(([start, length]) => at(start, start + length))
    fc.assert(
      fc.property(fc.array(span, { maxLength: 20 }), added => {
        const spans = added.reduce<Span[]>((before, one) => addSpans(before, [one], apart), [])
        expect(spans.some((a, i) => spans.some((b, j) => i !== j && areTouching(a, b)))).toBe(false)
      }),
    )
  })

  test('is taken back one span at a time', () => {
    expect(removeSpans([at(0, 3), at(0, 3, 'b')], [at(0, 3, 'b')])).toEqual([at(0, 3)])
  })
})

describe('labels of one range', () => {
  test('another label takes the place of all', () => {
    expect(relabel([at(0, 3), at(0, 3, 'b'), at(5, 6)], at(0, 3), 'c', stacked)).toEqual([at(0, 3, 'c'), at(5, 6)])
  })
  test('with overlap each can be switched', () => {
    const both = toggleLabel([at(0, 3)], at(0, 3), 'b', stacked)
    expect(both).toEqual([at(0, 3), at(0, 3, 'b')])
    expect(toggleLabel(both, at(0, 3), 'a', stacked)).toEqual([at(0, 3, 'b')])
  })
})

test.each([
  [[at(0, 1), at(2, 3)], [at(2, 3), at(0, 1)], true],
  [[at(0, 1)], [at(0, 1, 'b')], false],
  [[at(0, 1)], [at(0, 1), at(2, 3)], false],
  [[], [], true],
  [null, null, true],
  [null, [], false],
])('%j and %j are the same answer: %s', (a, b, same) => {
  expect(areEqualAnswers(a, b)).toBe(same)
})

test.each([
  [null, null],
  ['spans', null],
  [[], []],
  [[at(0, 2), { start: 0 }, null, at(3, 3), { ...at(0, 1), label: 4 }], [at(0, 2)]],
])('%j is read as %j', (value, spans) => {
  expect(readSpans(value)).toEqual(spans)
})

describe('jumping', () => {
  const spans = [at(8, 9), at(0, 2), at(4, 6), at(4, 6, 'b'), at(4, 7)]
  test.each([
    { from: null, step: 1, to: [0, 2] },
    { from: null, step: -1, to: [8, 9] },
    { from: at(0, 2), step: 1, to: [4, 6] },
    { from: at(4, 6), step: 1, to: [4, 7] },
    { from: at(3, 4), step: 1, to: [4, 6] },
    { from: at(8, 9), step: 1, to: [0, 2] },
    { from: at(0, 2), step: -1, to: [8, 9] },
    { from: at(5, 6), step: -1, to: [4, 7] },
  ] as const)('from $from by $step', ({ from, step, to }) => {
    const found = jump(spans, from, step)
    expect([found?.start, found?.end]).toEqual(to)
  })
  test('nowhere without spans', () => {
    expect(jump([], at(0, 1), 1)).toBeNull()
  })
})

describe('levels', () => {
  test.each([
    { why: 'apart', spans: [at(0, 2), at(2, 4)], levels: [0, 0] },
    { why: 'the same range', spans: [at(0, 2), at(0, 2)], levels: [0, 1] },
    { why: 'the longer one on top', spans: [at(0, 2), at(0, 9)], levels: [1, 0] },
    { why: 'a chain', spans: [at(0, 4), at(3, 8), at(7, 10)], levels: [0, 1, 0] },
    { why: 'three deep', spans: [at(0, 9), at(1, 8), at(2, 7), at(9, 10)], levels: [0, 1, 2, 0] },
  ])('$why', ({ spans, levels }) => {
    expect(levelsOf(spans)).toEqual(levels)
  })
})
