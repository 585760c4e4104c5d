import { expect, test } from 'vitest'
import type { CriteriaFilter } from '../query/criteria.ts'
import { sortName, toBadges } from './criteria-words.ts'
import { OFFERING } from './fixtures.ts'
import { filterCategories } from './offers.ts'

const categories = filterCategories(OFFERING, true)

test.each<
  [CriteriaFilter['target']['of'], string | null, CriteriaFilter['target']['property'], CriteriaFilter['value'], string, string]
>([
  ['metadata', 'lang', 'value', { kind: 'terms', values: ['en'] }, 'Language', 'en'],
  ['metadata', 'lang', 'value', { kind: 'terms', values: ['en', 'de'] }, 'Language', 'en or de'],
  ['metadata', 'lang', 'value', { kind: 'terms', values: ['en', 'de', 'fr', 'it'] }, 'Language', 'en, de +2'],
  ['metadata', 'lang', 'value', { kind: 'exists', exists: false }, 'Language', 'Empty'],
  ['metadata', 'loss', 'value', { kind: 'range', from: 0.5, to: 1234.5 }, 'Loss', '0.5 – 1,234.5'],
  ['metadata', 'loss', 'value', { kind: 'range', from: 0.5, to: null }, 'Loss', '≥ 0.5'],
  ['response', 'topics', 'value', { kind: 'terms', values: ['a', 'b'], isAll: true }, 'Topics (mine)', 'A and B'],
  ['response', 'stars', 'value', { kind: 'range', from: 2, to: 2 }, 'Stars (mine)', '2'],
  ['suggestion', 'intent', 'value', { kind: 'terms', values: ['refund'] }, 'Intent (suggested)', 'REFUND'],
  ['suggestion', 'intent', 'score', { kind: 'range', from: 0.5, to: 0.95 }, 'Intent (score)', '0.50 – 0.95'],
  ['suggestion', 'intent', 'agent', { kind: 'terms', values: ['gpt'] }, 'Intent (agent)', 'gpt'],
  ['record', 'inserted_at', 'value', { kind: 'dates', from: '2026-01-01', to: null }, 'Added', '≥ Jan 1, 2026'],
  ['record', 'flag', 'value', { kind: 'exists', exists: true }, 'Flagged by me', 'Flagged'],
  ['response', null, 'value', { kind: 'exists', exists: false }, 'My answer', 'Not answered'],
  ['metadata', 'gone', 'value', { kind: 'terms', values: ['x'] }, 'gone', 'x'],
])('a filter on %s %s %s of %j reads "%s: %s"', (of, name, property, value, label, text) => {
  const [badge] = toBadges([{ target: { of, name, property }, value }], categories)
  expect([badge?.label, badge?.value]).toEqual([label, text])
})

test.each([
  ['record', 'inserted_at', 'value', 'Added'],
  ['record', 'updated_at', 'value', 'Updated'],
  ['metadata', 'lang', 'value', 'Language'],
  ['metadata', 'length', 'value', 'length'],
  ['suggestion', 'intent', 'score', 'Score of Intent'],
  ['suggestion', 'stars', 'value', 'Suggested Stars'],
  ['response', 'stars', 'value', 'My answer to Stars'],
  ['response', 'gone', 'value', 'My answer to gone'],
] as const)('the key %s %s %s is called "%s"', (of, name, property, expected) => {
  expect(sortName({ of, name, property }, OFFERING)).toBe(expected)
})
