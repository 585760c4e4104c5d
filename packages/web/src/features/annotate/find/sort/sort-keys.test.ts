import { expect, test } from 'vitest'
import { OFFERING } from '../filters/fixtures.ts'
import type { SortKey } from '../query/criteria.ts'
import { freeOffers, idOf, moved, newKey, removed, replaced, sortOffers } from './sort-keys.ts'

const offers = sortOffers(OFFERING, true)
const key = (name: string): SortKey => ({ of: 'metadata', name, property: 'value', order: 'asc' })

test('records are sorted by time, metadata, scores, and by ratings', () => {
  expect(offers.map(({ target: { of, name, property } }) => `${of}.${name}.${property}`)).toEqual([
    'record.inserted_at.value',
    'record.updated_at.value',
    'metadata.lang.value',
    'metadata.length.value',
    'metadata.loss.value',
    ...OFFERING.questions.map(({ name }) => `suggestion.${name}.score`),
    'suggestion.stars.value',
    'response.stars.value',
  ])
})

test('not by metadata that annotators do not see', () => {
  expect(sortOffers(OFFERING, false).some(({ target }) => target.name === 'loss')).toBe(false)
})

test('a key is offered once, and stays on offer in its own place', () => {
  const keys = [key('lang'), key('length')]
  expect(freeOffers(offers, keys).map(({ target }) => target.name)).not.toContain('lang')
  expect(freeOffers(offers, keys, keys[0]).map(({ target }) => target.name)).toContain('lang')
})

test('keys are added, turned, moved and removed', () => {
  const [a, b, c] = [key('a'), key('b'), key('c')]
  expect(moved([a, b, c], 0, 1)).toEqual([b, a, c])
  expect(moved([a, b, c], 0, -1)).toEqual([a, b, c])
  expect(moved([a, b, c], 2, 1)).toEqual([a, b, c])
  expect(removed([a, b, c], 1)).toEqual([a, c])
  expect(replaced([a, b], 1, { ...b, order: 'desc' })).toEqual([a, { ...b, order: 'desc' }])
  expect(offers.map(offer => idOf(newKey(offer)))).toEqual(offers.map(({ id }) => id))
})
