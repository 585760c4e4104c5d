import { describe, expect, test } from 'vitest'
import { refusal } from '../testing.ts'
import { addLabels, keptScores, replaceInLabelList, replaceInSpans, replaceLabel, replaceSingleLabel } from './labels.ts'

const span = (label: string, start: number, end: number) => ({ label, start, end })

describe('a value with a label replaced', () => {
  test.each([
    { value: 'a', to: 'b', after: { value: 'b', keptIndexes: null } },
    { value: 'a', to: null, after: { value: null, keptIndexes: null } },
    { value: 'b', to: 'c', after: undefined },
    { value: ['a'], to: 'c', after: undefined },
    { value: null, to: 'c', after: undefined },
  ])('one label $value, a -> $to', ({ value, to, after }) => {
    expect(replaceSingleLabel(value, 'a', to)).toEqual(after)
  })

  test.each([
    { value: ['x', 'a', 'y'], to: 'b', after: { value: ['x', 'b', 'y'], keptIndexes: [0, 1, 2] } },
    { value: ['x', 'a', 'y'], to: null, after: { value: ['x', 'y'], keptIndexes: [0, 2] } },
    { value: ['b', 'x', 'a'], to: 'b', after: { value: ['b', 'x'], keptIndexes: [0, 1] } },
    { value: ['a', 'x', 'b'], to: 'b', after: { value: ['b', 'x'], keptIndexes: [0, 1] } },
    { value: ['a'], to: null, after: { value: null, keptIndexes: [] } },
    { value: ['x'], to: 'b', after: undefined },
    { value: 'a', to: 'b', after: undefined },
  ])('labels $value, a -> $to', ({ value, to, after }) => {
    expect(replaceInLabelList(value, 'a', to)).toEqual(after)
  })

  test.each([
    {
      value: [span('a', 0, 2), span('x', 3, 4)],
      to: 'b',
      after: { value: [span('b', 0, 2), span('x', 3, 4)], keptIndexes: [0, 1] },
    },
    { value: [span('a', 0, 2), span('x', 3, 4)], to: null, after: { value: [span('x', 3, 4)], keptIndexes: [1] } },
    // The same span with both labels.
    { value: [span('a', 0, 2), span('b', 0, 2)], to: 'b', after: { value: [span('b', 0, 2)], keptIndexes: [0] } },
    {
      value: [span('a', 0, 2), span('b', 0, 3)],
      to: 'b',
      after: { value: [span('b', 0, 2), span('b', 0, 3)], keptIndexes: [0, 1] },
    },
    // An empty list of spans is an answer.
    { value: [span('a', 0, 2)], to: null, after: { value: [], keptIndexes: [] } },
    { value: [span('x', 0, 2)], to: null, after: undefined },
    { value: [], to: null, after: undefined },
    { value: [null, 'a', ['a']], to: null, after: undefined },
  ])('spans $value, a -> $to', ({ value, to, after }) => {
    expect(replaceInSpans(value, 'a', to)).toEqual(after)
  })

  test('a suggested span keeps its own score', () => {
    const value = [{ ...span('a', 0, 2), score: 0.5 }]
    expect(replaceInSpans(value, 'a', 'b')?.value).toEqual([{ ...span('b', 0, 2), score: 0.5 }])
  })

  test.each([
    { score: [0.1, 0.2, 0.3], kept: [0, 2], left: [0.1, 0.3] },
    { score: 0.4, kept: null, left: 0.4 },
    { score: null, kept: [0], left: null },
  ])('scores $score, kept $kept', ({ score, kept, left }) => {
    expect(keptScores(score, { value: [], keptIndexes: kept })).toEqual(left)
  })
})

const option = (value: string, text = value, description: string | null = null) => ({ value, text, description })
const settings = (values: string[], visible_options: number | null = null) => ({
  type: 'label_selection',
  options: values.map(value => option(value)),
  visible_options,
})

describe('adding labels', () => {
  test('puts them at the end, and changes nothing the second time', () => {
    const added = addLabels(
      settings(['a', 'b']),
      [
        { value: 'c', text: 'C', description: 'third' },
        { value: 'd', text: 'D' },
      ],
      4,
    )
    expect(added.options).toEqual([option('a'), option('b'), option('c', 'C', 'third'), option('d', 'D')])
    expect(addLabels(added, [{ value: 'd', text: 'D' }], 4)).toEqual(added)
  })

  test('refuses one that has another text, and more than the server allows', () => {
    expect(refusal(() => addLabels(settings(['a', 'b']), [option('b', 'B'), option('c')], 4))?.message).toContain('`b`')
    expect(refusal(() => addLabels(settings(['a', 'b']), [option('c'), option('d')], 3))?.message).toContain('at most 3')
  })

  test.each([
    { visible: null, after: null },
    { visible: 4, after: 5 },
    { visible: 3, after: 3 },
  ])('with $visible of 4 visible, $after are visible afterwards', ({ visible, after }) => {
    expect(addLabels(settings(['a', 'b', 'c', 'd'], visible), [option('e')], 9).visible_options).toBe(after)
  })
})

describe('replacing a label', () => {
  const three = settings(['a', 'b', 'c'], 3)
  const valuesOf = ({ options }: typeof three) => options.map(({ value }) => value)

  test('with another label of the question removes it', () => {
    expect(valuesOf(replaceLabel(three, 'a', 'c', 2))).toEqual(['b', 'c'])
    expect(replaceLabel(three, 'a', 'c', 2).visible_options).toBeNull()
  })

  test('with nothing removes it, down to the minimum number of labels', () => {
    expect(valuesOf(replaceLabel(three, 'b', null, 2))).toEqual(['a', 'c'])
    expect(refusal(() => replaceLabel(settings(['a', 'b']), 'b', null, 2))?.message).toContain('at least 2')
    expect(valuesOf(replaceLabel(settings(['a', 'b']), 'b', null, 1))).toEqual(['a'])
  })

  test('by a new value keeps its place, its description and a text of its own', () => {
    const worded = { ...three, options: [option('a', 'Alpha', 'first'), option('b')] }
    expect(replaceLabel(worded, 'a', 'x', 2).options).toEqual([option('x', 'Alpha', 'first'), option('b')])
    expect(replaceLabel(worded, 'b', 'y', 2).options).toEqual([option('a', 'Alpha', 'first'), option('y')])
  })

  test('that does not exist, or with itself, is refused', () => {
    expect(refusal(() => replaceLabel(three, 'z', 'a', 2))?.message).toContain('Labels: `a`, `b`, `c`')
    expect(refusal(() => replaceLabel(three, 'a', 'a', 2))?.message).toContain('the same label')
  })
})

describe('labels that look the same', () => {
  const twin = 'café'.normalize('NFD')
  const option = (value: string) => ({ value, text: value, description: null })
  const settings = { type: 'label_selection', options: [option('café'), option('tea'), option('milk')], visible_options: null }

  test('are not added, and no label becomes one', () => {
    expect(refusal(() => addLabels(settings, [option(twin)], 10))?.message).toContain('look different')
    expect(refusal(() => replaceLabel(settings, 'tea', twin, 2))?.message).toContain('look different')
  })

  test('may replace each other', () => {
    expect(replaceLabel(settings, 'café', twin, 2).options.map(({ value }) => value)).toEqual([twin, 'tea', 'milk'])
  })

  test('from before stay', () => {
    const old = { ...settings, options: [...settings.options, option(twin)] }
    expect(addLabels(old, [option('juice')], 10).options).toHaveLength(5)
  })
})
