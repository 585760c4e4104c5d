import { describe, expect, test } from 'vitest'
import { createItems } from '../storage/items.ts'
import { placeOf, readLastPlace, storeLastPlace } from './last-place.ts'

describe('the last place', () => {
  test('stays when the person goes elsewhere', () => {
    const items = createItems('ana', null)
    expect(readLastPlace(items)).toBeNull()
    storeLastPlace(items, { datasetId: 'd1', query: 'page=3' })
    storeLastPlace(items, null)
    expect(readLastPlace(items)).toEqual({ datasetId: 'd1', query: 'page=3' })
  })

  test.each(['', '{', 'null', '7', '{"datasetId":"d"}', '{"datasetId":1,"query":""}'])('is none where storage says %j', text => {
    const items = createItems('ana', null)
    items.set('last-place', text)
    expect(readLastPlace(items)).toBeNull()
  })
})

test.each([
  ['annotate', '/dataset/d1/annotation-mode?page=2&search=a%2520b#x', { datasetId: 'd1', query: 'page=2&search=a%2520b' }],
  ['annotate', '/dataset/d1/annotation-mode', { datasetId: 'd1', query: '' }],
  ['dataset-settings', '/dataset/d1/settings?tab=general', null],
  ['home', '/', null],
])('the route %s at %s shows %j', (name, fullPath, place) => {
  expect(placeOf({ name, fullPath, params: { id: 'd1' } })).toEqual(place)
})
