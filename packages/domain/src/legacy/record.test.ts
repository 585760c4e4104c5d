import { describe, expect, test } from 'vitest'
import { flattenMetadata, mergeDeep, type StoredRecord, withAgents } from './record.ts'
import { textClassification } from './text-classification.ts'
import { capitalnessOf, tokenClassification } from './token-classification.ts'

test('metadata becomes flat, without nulls and empty lists, with the end of long texts', () => {
  const given = { a: { b: { c: 1 } }, none: null, empty: [], list: [1], long: `x${'🎉'.repeat(128)}`, _kept: { a: null } }
  const flat = { 'a.b.c': 1, list: [1], long: '🎉'.repeat(128), _kept: { a: null } }
  expect(flattenMetadata(given, { lengthMax: 128 })).toEqual(flat)
})

test('a merge keeps what is not given, merges objects and replaces lists', () => {
  const stored = { id: 'a', metadata: { a: 1, b: [1, 2] }, text: 'old' }
  expect(mergeDeep(stored, { metadata: { b: [3], c: 2 }, text: null })).toEqual({
    id: 'a',
    metadata: { a: 1, b: [3], c: 2 },
    text: 'old',
  })
})

test('a merge cannot reach the prototype', () => {
  mergeDeep({ metadata: {} }, JSON.parse('{"metadata": {"__proto__": {"polluted": true}}}'))
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('a prediction is one entry of the map, and the first entry of the map is the prediction', () => {
  expect(withAgents({ agent: 'm', labels: [] }, null)).toEqual({
    singular: { agent: 'm', labels: [] },
    map: { m: { labels: [] } },
  })
  expect(withAgents(null, { n: { labels: [] } }).singular).toEqual({ agent: 'n', labels: [] })
  expect(withAgents(null, null)).toEqual({ singular: null, map: null })
})

describe('token classification', () => {
  const own = { text: 'Ana 🎉 went', tokens: ['Ana', '🎉', 'went'] }
  const side = (start: number, end: number) => ({ entities: [{ start, end, label: 'L', score: 1 }] })

  test.each([
    [0, 3, 0, 3],
    [0, 4, 0, 3],
    [3, 5, 4, 5],
    [6, 10, 6, 10],
    [6, 99, 6, 10],
  ])('a span from %i to %i is stored from %i to %i', (start, end, storedStart, storedEnd) => {
    expect(tokenClassification.toStoredSide(side(start, end), own)).toEqual(side(storedStart, storedEnd))
  })

  test.each([
    [1, 3],
    [0, 2],
    [3, 4],
    [20, 30],
  ])('a span from %i to %i is refused', (start, end) => {
    expect(() => tokenClassification.toStoredSide(side(start, end), own)).toThrow(/must start and end where tokens do/)
  })

  test.each([
    ['ABC', 'UPPER'],
    ['abc', 'LOWER'],
    ['Abc', 'FIRST'],
    ['aBc', 'MIDDLE'],
    ['123', null],
  ])('%s is %s', (word, capitalness) => {
    expect(capitalnessOf(word)).toBe(capitalness)
  })
})

describe('text classification', () => {
  const labels = (...given: [string, number][]) => given.map(([name, score]) => ({ class: name, score }))
  const derive = (record: object) =>
    textClassification.derive({ inputs: { a: 'x', b: ['y', 'z'] }, ...record } as unknown as StoredRecord)

  test('the top label counts, or every label with a high score', () => {
    const prediction = { agent: 'm', labels: labels(['a', 0.9], ['b', 0.6], ['c', 0.5]) }
    expect(derive({ prediction })).toMatchObject({ text: 'x\ny\nz', predicted_as: ['a'], score: [0.9], predicted: null })
    expect(derive({ prediction, multi_label: true })).toMatchObject({ predicted_as: ['a', 'b'], score: [0.9, 0.6, 0.5] })
  })

  test('a prediction is right if its labels are those of the annotation', () => {
    const annotation = { agent: 'a', labels: labels(['b', 1], ['a', 1]) }
    const prediction = { agent: 'm', labels: labels(['a', 0.9], ['b', 0.6]) }
    expect(derive({ prediction, annotation, multi_label: true }).predicted).toBe('ok')
    expect(derive({ prediction, annotation: { agent: 'a', labels: labels(['b', 1]) } }).predicted).toBe('ko')
  })
})
