import { describe, expect, test } from 'vitest'
import { OFFERING } from './fixtures.ts'
import { categoryOf, filterCategories } from './offers.ts'

const categories = filterCategories(OFFERING, true)
const partsOf = (id: string) => categories.find(category => category.id === id)?.parts

describe('a dataset offers filters', () => {
  test('on its metadata, my answers, suggestions and the record', () => {
    expect(categories.map(({ id }) => id)).toEqual([
      'metadata.lang',
      'metadata.length',
      'metadata.loss',
      ...OFFERING.questions.map(({ name }) => `response.${name}`),
      ...OFFERING.questions.map(({ name }) => `suggestion.${name}`),
      'record',
    ])
  })

  test('but not on metadata that annotators do not see', () => {
    expect(filterCategories(OFFERING, false).map(({ id }) => id)).not.toContain('metadata.loss')
  })

  test('under the name of what has no title', () => {
    expect(categories.find(({ id }) => id === 'metadata.length')?.title).toBe('length')
  })

  test.each([
    ['metadata.lang', ['terms', 'exists']],
    ['metadata.loss', ['range', 'exists']],
    ['response.intent', ['terms', 'exists']],
    ['response.stars', ['range', 'exists']],
    ['response.order', ['terms', 'exists']],
    ['response.marks', ['terms', 'exists']],
    ['response.note', ['exists']],
    ['suggestion.topics', ['terms', 'range', 'terms', 'exists']],
    ['suggestion.note', ['range', 'terms', 'exists']],
    ['record', ['exists', 'exists', 'exists', 'dates', 'dates']],
  ])('of %s: %j', (id, controls) => {
    expect(partsOf(id)?.map(({ control }) => control)).toEqual(controls)
  })

  test.each([
    ['response.intent', false],
    ['response.topics', true],
    ['response.marks', true],
    ['response.order', false],
  ])('all of several values makes sense for %s: %s', (id, isMulti) => {
    expect(partsOf(id)?.[0]).toMatchObject({ control: 'terms', isMulti })
  })

  test('a rating within its own bounds, a score within 0 and 1', () => {
    expect(partsOf('response.stars')?.[0]).toMatchObject({ bounds: { min: 1, max: 5 }, isWhole: true })
    expect(partsOf('suggestion.intent')?.[1]).toMatchObject({ bounds: { min: 0, max: 1 }, isWhole: false })
  })
})

test.each([
  [{ of: 'suggestion', name: 'intent', property: 'agent' }, 'suggestion.intent'],
  [{ of: 'response', name: null, property: 'value' }, 'record'],
  [{ of: 'metadata', name: 'gone', property: 'value' }, undefined],
] as const)('%j is edited under %s', (target, id) => {
  expect(categoryOf(categories, target)?.id).toBe(id)
})
