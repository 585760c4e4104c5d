import { describe, expect, test } from 'vitest'
import type { CriteriaFilter, FilterTarget, FilterValue } from '../query/criteria.ts'
import {
  countedTargets,
  sliderBounds,
  stepOf,
  termsOf,
  valueOn,
  withEnd,
  withFilter,
  withoutCategory,
  withTerm,
} from './edit-filters.ts'
import { OFFERING } from './fixtures.ts'
import { filterCategories } from './offers.ts'

const lang: FilterTarget = { of: 'metadata', name: 'lang', property: 'value' }
const score: FilterTarget = { of: 'suggestion', name: 'intent', property: 'score' }
const terms = (...values: string[]): FilterValue => ({ kind: 'terms', values })
const filters: CriteriaFilter[] = [
  { target: lang, value: terms('en') },
  { target: score, value: { kind: 'range', from: 0.5, to: null } },
]

describe('setting a filter', () => {
  test('keeps its place among the others', () => {
    expect(withFilter(filters, lang, terms('de'))).toEqual([{ target: lang, value: terms('de') }, filters[1]])
  })

  test('adds a new one at the end', () => {
    const agent: FilterTarget = { ...score, property: 'agent' }
    expect(withFilter(filters, agent, terms('gpt'))).toEqual([...filters, { target: agent, value: terms('gpt') }])
  })

  test.each<[string, FilterValue | null]>([
    ['nothing', null],
    ['no values', terms()],
    ['an open range', { kind: 'range', from: null, to: null }],
    ['no days', { kind: 'dates', from: null, to: null }],
  ])('to %s removes it', (_, value) => {
    expect(withFilter(filters, lang, value)).toEqual([filters[1]])
  })

  test('to "has none" replaces a filter by value', () => {
    expect(valueOn(withFilter(filters, lang, { kind: 'exists', exists: false }), lang)).toEqual({ kind: 'exists', exists: false })
  })
})

test('a category is cleared with all its parts', () => {
  const [category] = filterCategories(OFFERING, true).filter(({ id }) => id === 'suggestion.intent')
  expect(withoutCategory(filters, category ?? { parts: [] })).toEqual([filters[0]])
})

test('values are ticked and unticked', () => {
  expect(withTerm(['a'], 'b', true)).toEqual(['a', 'b'])
  expect(withTerm(['a', 'b'], 'a', false)).toEqual(['b'])
  expect(withTerm(['a'], 'a', true)).toEqual(['a'])
  expect(termsOf({ kind: 'exists', exists: true }).values).toEqual([])
})

const bounds = { min: 0, max: 10 }
test.each([
  [{ from: null, to: null }, 'from', 3, { from: 3, to: null }],
  [{ from: 3, to: 7 }, 'from', 9, { from: 9, to: 9 }],
  [{ from: 3, to: 7 }, 'to', 1, { from: 1, to: 1 }],
  [{ from: 3, to: 7 }, 'to', 10, { from: 3, to: null }],
  [{ from: 3, to: 7 }, 'from', 0, { from: null, to: 7 }],
  [{ from: 3, to: 7 }, 'from', null, { from: null, to: 7 }],
  [{ from: 3, to: 7 }, 'to', 99, { from: 3, to: null }],
] as const)('%j with %s at %s is %j', (ends, end, value, expected) => {
  expect(withEnd(ends, end, value, bounds)).toEqual(expected)
})

test('without bounds an end is what was typed', () => {
  expect(withEnd({ from: null, to: null }, 'to', 99, null)).toEqual({ from: null, to: 99 })
})

test.each([
  [{ min: 0, max: 1 }, false, 0.01],
  [{ min: 20, max: 199 }, true, 1],
  [{ min: 0.501, max: 4.499 }, false, 0.01],
  [{ min: 0, max: 5000 }, false, 100],
  [{ min: 3, max: 3 }, false, 1],
])('%j (whole: %s) is walked in steps of %s', (given, isWhole, step) => {
  expect(stepOf(given, isWhole)).toBe(step)
})

test.each([
  [{ min: 0.501, max: 4.4991 }, 0.01, { min: 0.5, max: 4.5 }],
  [{ min: 0, max: 1 }, 0.01, { min: 0, max: 1 }],
  [{ min: -0.3, max: 0.3 }, 0.1, { min: -0.3, max: 0.3 }],
])('a slider over %j in steps of %s reaches both ends: %j', (given, step, expected) => {
  expect(sliderBounds(given, step)).toEqual(expected)
})

test('targets of an `exists` filter are not counted', () => {
  const [category] = filterCategories(OFFERING, true).filter(({ id }) => id === 'suggestion.note')
  expect(countedTargets(category?.parts ?? []).map(({ property }) => property)).toEqual(['score', 'agent'])
})
