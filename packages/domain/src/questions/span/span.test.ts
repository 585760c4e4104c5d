import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../schema.ts'
import { processorMs } from '../../testing/processor-time.ts'
import { accepts, refusal } from '../../testing.ts'
import { span } from './span.ts'

const options = [
  { value: 'person', text: 'Person' },
  { value: 'place', text: 'Place' },
]

const filled = span.fillSettings({ type: 'span', field: 'text', options })
const at = (start: number, end: number, label = 'person') => ({ label, start, end })
const check = (value: Json, fields: { [name: string]: Json } = { text: 'hello' }, overlapping = false) =>
  refusal(() =>
    span.checkValue(value, { name: 'ner', settings: { ...filled, allow_overlapping: overlapping } }, { fields, status: null }),
  )?.message ?? null

describe('span question', () => {
  test.each([
    { why: 'no span', value: [], fields: { text: 'hello' } },
    { why: 'a span over the whole text', value: [at(0, 5)], fields: { text: 'hello' } },
    { why: 'the last character', value: [at(4, 5)], fields: { text: 'hello' } },
    { why: 'spans that touch', value: [at(2, 5), at(0, 2)], fields: { text: 'hello' } },
    { why: 'characters outside the basic plane, counted as one each', value: [at(1, 2)], fields: { text: '👍👍' } },
    { why: 'messages of a chat', value: [at(0, 2)], fields: { text: [{ role: 'a', content: 'b' }, {}] } },
  ])('accepts $why', ({ value, fields }) => {
    expect(check(value, fields)).toBeNull()
  })

  test.each([
    { why: 'an end past the text', value: [at(0, 6)], fields: { text: 'hello' }, says: 'past the end' },
    { why: 'a start past the text', value: [at(5, 6)], fields: { text: 'hello' }, says: 'past the end' },
    { why: 'UTF-16 offsets', value: [at(0, 3)], fields: { text: '👍👍' }, says: 'past the end' },
    { why: 'any span of an empty text', value: [at(0, 1)], fields: { text: '' }, says: 'past the end' },
    { why: 'a null field', value: [], fields: { text: null }, says: 'has null' },
    { why: 'a field the record does not have', value: [], fields: { other: 'hello' }, says: 'has nothing' },
    { why: 'an unknown label', value: [at(0, 1, 'thing')], fields: { text: 'hello' }, says: '`thing` is not an option' },
    { why: 'an overlap', value: [at(0, 3), at(2, 4)], fields: { text: 'hello' }, says: 'overlap' },
    { why: 'the same span twice', value: [at(0, 3), at(0, 3, 'place')], fields: { text: 'hello' }, says: 'overlap' },
    { why: 'a text', value: 'hello', fields: { text: 'hello' }, says: 'list of spans' },
    { why: 'a list of texts', value: ['hello'], fields: { text: 'hello' }, says: 'list of spans' },
  ])('refuses $why', ({ value, fields, says }) => {
    expect(check(value, fields)).toContain(says)
  })

  test('looks at all limits before it looks at labels, and at labels before overlaps', () => {
    expect(check([at(0, 1, 'thing'), at(0, 9)])).toContain('past the end')
    expect(check([at(0, 3), at(2, 4, 'thing')])).toContain('not an option')
  })

  test('allows overlaps when its settings do', () => {
    expect(check([at(0, 3), at(2, 4)], { text: 'hello' }, true)).toBeNull()
  })

  test('does not reach for a field called like a property of every object', () => {
    const question = { name: 'ner', settings: { ...filled, field: 'constructor' } }
    expect(refusal(() => span.checkValue([], question, { fields: {}, status: null }))).not.toBeNull()
  })

  test('finds an overlap exactly when comparing all pairs finds one', () => {
    const spans = fc.array(
      fc.tuple(fc.nat(90), fc.integer({ min: 1, max: 9 })).map(([start, length]) => at(start, start + length)),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(spans, spans => {
        const overlap = spans.some((a, i) => spans.some((b, j) => i !== j && a.start < b.end && a.end > b.start))
        expect(check(spans, { text: 'x'.repeat(100) }) !== null).toBe(overlap)
      }),
    )
  })

  test('checks ten thousand spans quickly', async () => {
    const spans = Array.from({ length: 10_000 }, (_, i) => at(i, i + 1)).reverse()
    const checkAll = () => expect(check(spans, { text: 'x'.repeat(10_000) })).toBeNull()
    expect(await processorMs(checkAll)).toBeLessThan(500)
  })
})

describe('settings of a span question', () => {
  test.each([
    { why: 'one option', given: { options: options.slice(1) }, ok: true },
    { why: 'no option', given: { options: [] }, ok: false },
    { why: 'an empty field name', given: { field: '' }, ok: false },
    { why: 'a field name of 201 characters', given: { field: 'x'.repeat(201) }, ok: false },
    { why: 'more visible options than options', given: { visible_options: 3 }, ok: false },
    { why: 'one value twice', given: { options: [...options, ...options] }, ok: false },
  ])('with $why -> $ok', ({ given, ok }) => {
    expect(accepts(span.settingsCreate, { type: 'span', field: 'text', options, ...given })).toBe(ok)
  })

  test('say that characters can be annotated, for clients that read it', () => {
    expect(filled).toMatchObject({ allow_overlapping: false, allow_character_annotation: true, visible_options: null })
  })

  test('name a field of the dataset that no other span question uses', () => {
    const fields = [{ name: 'text' }, { name: 'other' }]
    const taken = [{ name: 'first', settings: filled }]
    expect(refusal(() => span.checkReferences(filled, { fields, questions: [] }))).toBeNull()
    expect(refusal(() => span.checkReferences(filled, { fields: [], questions: [] }))?.message).toContain('not a field')
    expect(refusal(() => span.checkReferences(filled, { fields, questions: taken }))?.message).toContain('`first`')
    expect(refusal(() => span.checkReferences({ ...filled, field: 'other' }, { fields, questions: taken }))).toBeNull()
  })

  test('once overlaps are allowed, every patch must repeat it', () => {
    const stored = { ...filled, allow_overlapping: true }
    expect(span.patchSettings(stored, { type: 'span', allow_overlapping: true })).toEqual(stored)
    for (const given of [false, null, undefined]) {
      expect(refusal(() => span.patchSettings(stored, { type: 'span', allow_overlapping: given as boolean }))).not.toBeNull()
    }
    expect(span.patchSettings(filled, { type: 'span' }).allow_overlapping).toBe(false)
    expect(span.patchSettings(filled, { type: 'span', allow_overlapping: true }).allow_overlapping).toBe(true)
  })
})

test('spans are found by their labels, each once', () => {
  const at = (label: string, start: number) => ({ label, start, end: start + 1 })
  expect(span.toSearch([at('person', 0), at('place', 3), at('person', 9)])).toEqual(['person', 'place'])
  expect(span.toSearch([])).toEqual([])
})
