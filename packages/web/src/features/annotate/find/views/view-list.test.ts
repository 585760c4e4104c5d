import { expect, test } from 'vitest'
import { NOTHING } from '../filters/fixtures.ts'
import type { Criteria } from '../query/criteria.ts'
import { fromView, isShown, proposeName, toView, withoutView, withView } from './view-list.ts'

const criteria: Criteria = {
  ...NOTHING,
  queue: 'draft',
  search: { text: 'a~b & c_d', field: 'text' },
  filters: [{ target: { of: 'metadata', name: 'v1.2', property: 'value' }, value: { kind: 'terms', values: ['ü+%', 'exists'] } }],
  sort: [{ of: 'record', name: 'updated_at', property: 'value', order: 'desc' }],
}

test('a view shows what was saved', () => {
  const view = toView('  Fees ', criteria)
  expect(view.name).toBe('Fees')
  expect(fromView(view)).toEqual(criteria)
  expect(isShown(view, criteria)).toBe(true)
  expect(isShown(view, { ...criteria, queue: 'pending' })).toBe(false)
})

test('an invalid view shows the pending queue', () => {
  expect(fromView({ name: 'x', query: '?&&=%%&page=' })).toEqual(NOTHING)
})

test('views are kept by name, in order', () => {
  const [a, b] = [toView('a', NOTHING), toView('b', NOTHING)]
  expect(withView([b], a)).toEqual([a, b])
  expect(withView([a, b], toView('a', criteria))).toEqual([toView('a', criteria), b])
  expect(withoutView([a, b], 'a')).toEqual([b])
})

test.each([
  [criteria, ['en', '≥ 0.5'], 'a~b & c_d, en, ≥ 0.5'],
  [NOTHING, [], ''],
])('a name is proposed', (given, words, expected) => {
  expect(proposeName(given, words)).toBe(expected)
})
