import { describe, expect, test } from 'vitest'
import type { LabelColours } from '../../../label-colours.ts'
import { optionsNamed, questionWith, suggestionOf } from '../../question-fixtures.ts'
import { labelsOf, lookAt } from '../labels/looks.ts'
import type { Span } from '../spans.ts'
import { chunksOf } from '../text/chunks.ts'
import { openOffsets } from '../text/offsets.ts'
import { listMarks, type Mark, markKey, marksByChunk, type SpanSource } from './marks.ts'

const at = (start: number, end: number, label = 'a') => ({ start, end, label })
const text = '🚀 one two three four'
const question = (allow_overlapping = false) =>
  questionWith({
    type: 'span',
    field: 'text',
    options: optionsNamed('a', 'b'),
    visible_options: null,
    allow_overlapping,
    allow_character_annotation: true,
  })
const source = (given: Partial<SpanSource>): SpanSource => ({
  question: question(),
  value: null,
  isPencil: false,
  suggestion: null,
  isActive: false,
  letters: {},
  ...given,
})
const none: ReadonlySet<string> = new Set()
const list = (sources: SpanSource[], touched: { dismissed?: ReadonlySet<string>; pencilled?: ReadonlySet<string> } = {}) =>
  listMarks(sources, openOffsets(text), { dismissed: none, pencilled: none, ...touched })
const shape = (marks: ReturnType<typeof list>) =>
  marks.map(({ start, end, name, state, level, score }) => `${text.slice(start, end)} ${name} ${state} ${level} ${score}`)

describe('what is drawn on a text', () => {
  test('a person’s spans, after an emoji in their places', () => {
    expect(shape(list([source({ value: [at(6, 9, 'b'), at(2, 5)] })]))).toEqual([
      'one A ink 0 undefined',
      'two B ink 0 undefined',
    ])
  })

  test('a suggestion that was filled in, with its scores, 0 among them', () => {
    const value = [at(2, 5), at(6, 9, 'b')]
    const suggestion = suggestionOf(value, [0, 0.7])
    expect(shape(list([source({ value, isPencil: true, suggestion })]))).toEqual(['one A pencil 0 0', 'two B pencil 0 0.7'])
  })

  test('what was filled in stays pencil beside what a person adds, until it is touched itself', () => {
    const suggestion = suggestionOf([at(2, 5)])
    const pencilled = new Set([markKey(question(), at(2, 5))])
    const marks = list([source({ value: [at(2, 5), at(6, 9)], suggestion })], { pencilled })
    expect(shape(marks)).toEqual(['one A pencil 0 null', 'two A ink 0 undefined'])
  })

  test('an answer that equals the suggestion keeps its score', () => {
    expect(shape(list([source({ value: [at(2, 5)], suggestion: suggestionOf([at(2, 5)], [0.5]) })]))).toEqual(['one A ink 0 0.5'])
  })

  test('suggested spans that are no part of the answer, unless they are in its way or were taken away', () => {
    const suggestion = suggestionOf([at(2, 5), at(6, 9), at(10, 15)])
    const dismissed = new Set([markKey(question(), at(10, 15))])
    const marks = list([source({ value: [at(4, 7, 'b')], suggestion })])
    expect(shape(marks)).toEqual(['e t B ink 0 undefined', 'three A ghost 0 null'])
    expect(shape(list([source({ suggestion })], { dismissed }))).toEqual(['one A ghost 0 null', 'two A ghost 0 null'])
  })

  test('spans that overlap, one below the other, whichever question they are of', () => {
    const value = [at(2, 9), at(6, 9, 'b')]
    expect(list([source({ question: question(true), value })]).map(({ level }) => level)).toEqual([0, 1])
    expect(list([source({ value: [at(2, 9)] }), source({ value: [at(6, 9)] })]).map(({ level }) => level)).toEqual([0, 1])
  })

  test('nothing for what does not stand in the text', () => {
    expect(shape(list([source({ value: [at(100, 120), { start: 1 }, 'x'], suggestion: suggestionOf([null, 7]) })]))).toEqual([])
  })

  test('a label that is no option, by its value', () => {
    expect(shape(list([source({ value: [at(2, 5, 'gone')] })]))).toEqual(['one gone ink 0 undefined'])
  })
})

describe('marks of chunks', () => {
  const long = `${'word '.repeat(280)}\n`.repeat(8)
  const stacked = question(true)
  const chunks = chunksOf(long)
  const value = [at(0, 4), at(1_000, 3_000), at(4_500, 4_504)]
  const listLong = (spans: Span[]) =>
    listMarks([source({ question: stacked, value: spans })], openOffsets(long), { dismissed: none, pencilled: none })

  test('a chunk has all that reach into it', () => {
    expect(chunks.length).toBeGreaterThan(2)
    const lists = marksByChunk(listLong(value), chunks)
    for (const [index, { start, end }] of chunks.entries()) {
      const expected = value.filter(span => span.start < end && span.end > start)
      expect(lists[index]?.map(({ span }) => span)).toEqual(expected)
    }
  })

  test('only the chunk with a new mark gets a new list', () => {
    const before = marksByChunk(listLong(value), chunks)
    const after = marksByChunk(listLong([...value, at(10, 14)]), chunks, before)
    expect(after.map((marks, index) => marks === before[index])).toEqual([false, ...before.slice(1).map(() => true)])
  })
})

describe('marks that are listed again', () => {
  const offsets = openOffsets(text)
  const asked = question(true)
  const spans = [at(2, 5), at(6, 9)]
  const again = (given: Partial<SpanSource>) =>
    listMarks([source({ question: asked, ...given })], offsets, { dismissed: none, pencilled: none })

  test('stay the same objects beside a new one', () => {
    const before = again({ value: spans })
    const after = again({ value: [...spans, at(10, 15)] })
    expect(after.slice(0, 2).map((mark, index) => mark === before[index])).toEqual([true, true])
  })

  test('take another level without a change to the earlier list', () => {
    const before = again({ value: spans })
    const covered = again({ value: [at(2, 15, 'b'), ...spans] })
    expect(shape(covered)).toEqual(['one two three B ink 0 undefined', 'one A ink 1 undefined', 'two A ink 1 undefined'])
    expect(before.map(({ level }) => level)).toEqual([0, 0])
    expect(again({ value: spans }).map(({ level }) => level)).toEqual([0, 0])
  })

  test('change their state, and their places in another text', () => {
    again({ value: spans })
    expect(again({ value: spans, isPencil: true }).map(({ state }) => state)).toEqual(['pencil', 'pencil'])
    expect(again({ value: spans }).map(({ state }) => state)).toEqual(['ink', 'ink'])
    const elsewhere = listMarks([source({ question: asked, value: spans })], openOffsets('plain'), {
      dismissed: none,
      pencilled: none,
    })
    expect(elsewhere.map(({ start, end }) => [start, end])).toEqual([[2, 5]])
  })
})

describe('looks', () => {
  test.each([
    [0, 'label-colour-1 label-solid'],
    [13, 'label-colour-14 label-double'],
    // The colours repeat with the next underline.
    [14, 'label-colour-1 label-double'],
    [28, 'label-colour-1 label-dotted'],
  ])('label %i is %s', (index, classes) => {
    expect(lookAt(index).classes).toBe(classes)
  })

  test('a lead’s colour takes the place of the colour, not of the underline', () => {
    const labels = labelsOf(optionsNamed('a', 'b'), { b: 'sky' })
    expect([...labels.values()].map(({ classes }) => classes)).toEqual([
      'label-colour-1 label-solid',
      'label-colour-13 label-double',
    ])
  })

  test('another colour draws the mark anew', () => {
    const chunks = chunksOf(text)
    const mine = source({ value: [at(2, 5)] })
    const draw = (colours: LabelColours, before?: Mark[][]) => marksByChunk(list([{ ...mine, colours }]), chunks, before)
    const before = draw({})
    expect(draw({}, before)[0]).toBe(before[0])
    expect(draw({ a: 'rose' }, before)[0]?.[0]?.look.classes).toBe('label-colour-12 label-solid')
  })
})
