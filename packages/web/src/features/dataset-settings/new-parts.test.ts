import { expect, test } from 'vitest'
import { EMPTY_PROPERTY, EMPTY_VECTORS, propertyIssues, toProperty, toVectors, vectorsIssues } from './new-parts.ts'

const named = { ...EMPTY_PROPERTY, name: 'source' }
const wrongParts = (issues: object) => Object.entries(issues).flatMap(([part, issue]) => (issue ? [part] : []))

test.each([
  { part: {}, wrong: [] },
  { part: { name: ' ' }, wrong: ['name'] },
  { part: { name: 'taken' }, wrong: ['name'] },
  { part: { title: 'x'.repeat(501) }, wrong: ['title'] },
  { part: { terms: Array.from({ length: 251 }, (_, i) => i).join('\n') }, wrong: ['terms'] },
  { part: { type: 'integer', min: '1', max: '2' }, wrong: [] },
  { part: { type: 'integer', min: '1.5' }, wrong: ['min'] },
  { part: { type: 'float', min: '1.5', max: 'x' }, wrong: ['max'] },
  { part: { type: 'float', min: '2', max: '2' }, wrong: ['max'] },
  // Text typed for another type is ignored.
  { part: { type: 'terms', min: 'x' }, wrong: [] },
] as const)('property with $part -> $wrong', ({ part, wrong }) => {
  expect(wrongParts(propertyIssues({ ...named, ...part }, [{ name: 'taken' }]))).toEqual(wrong)
})

test('a property as the server takes it', () => {
  expect(toProperty({ ...named, terms: ' web \n\nmail\nweb' })).toEqual({
    name: 'source',
    title: 'source',
    settings: { type: 'terms', values: ['web', 'mail'] },
    visible_for_annotators: true,
  })
  expect(toProperty({ ...named, title: 'Source' })).toMatchObject({ title: 'Source', settings: { values: null } })
  expect(toProperty({ ...named, type: 'float', min: '-1' }).settings).toEqual({ type: 'float', min: -1, max: null })
})

test.each([
  { dimensions: '3', wrong: [] },
  { dimensions: '0', wrong: ['dimensions'] },
  { dimensions: '2.5', wrong: ['dimensions'] },
  { dimensions: '', wrong: ['dimensions'] },
])('vectors of $dimensions dimensions -> $wrong', ({ dimensions, wrong }) => {
  const draft = { ...EMPTY_VECTORS, name: ' embed ', dimensions }
  expect(wrongParts(vectorsIssues(draft, []))).toEqual(wrong)
  if (wrong.length === 0) expect(toVectors(draft)).toEqual({ name: 'embed', title: 'embed', dimensions: 3 })
})
