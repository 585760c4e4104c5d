import type { SearchQuery } from '@postil/domain/search/query'
import { expect, test } from 'vitest'
import { isIncompleteFor, toRefill } from './settings-stamp.ts'

const query = (more: Partial<SearchQuery> = {}): SearchQuery => ({
  text: null,
  similar: null,
  filters: [],
  sort: [],
  userId: null,
  shuffleFor: null,
  offset: 0,
  limit: 10,
  ...more,
})
const stamp = (settings: object) => JSON.stringify(settings)

test('what is new or changed is missing until every record was read again; what is gone is not', () => {
  expect(toRefill(stamp({ a: '1', b: '1' }), stamp({ a: '1', b: '2', c: '1' }), null)).toEqual({ after: 0, ids: ['b', 'c'] })
  expect(toRefill(stamp({ a: '1', b: '1' }), stamp({ a: '1' }), null)).toEqual({ after: 0, ids: [] })
})

test('what was missing before stays so, and an index without records lacks everything', () => {
  expect(toRefill(stamp({}), stamp({ b: '1' }), { after: 500, ids: ['a'] })).toEqual({ after: 0, ids: ['a', 'b'] })
  expect(toRefill(stamp({}), stamp({ b: '1' }), { after: 500, ids: null })).toEqual({ after: 0, ids: null })
})

test('only searches by what is missing wait for it', () => {
  const byMetadata = query({
    filters: [{ kind: 'exists', of: { kind: 'metadata', propertyId: 'p1', as: 'keyword' }, exists: true }],
  })
  expect(isIncompleteFor(null, byMetadata)).toBe(false)
  expect(isIncompleteFor({ after: 0, ids: null }, query())).toBe(true)
  expect(isIncompleteFor({ after: 0, ids: [] }, byMetadata)).toBe(false)
  expect(isIncompleteFor({ after: 0, ids: ['p1'] }, byMetadata)).toBe(true)
  expect(isIncompleteFor({ after: 0, ids: ['p2'] }, byMetadata)).toBe(false)
  const byText = query({ text: { tree: { kind: 'nothing' } as never, field: null } })
  expect(isIncompleteFor({ after: 0, ids: ['field f1'] }, byText)).toBe(true)
  expect(isIncompleteFor({ after: 0, ids: ['field f1'] }, byMetadata)).toBe(false)
})
