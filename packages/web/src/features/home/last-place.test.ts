import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { keepLastPlace, placeOf, readLastPlace } from './last-place.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
  })
})
afterEach(() => stored.clear())

describe('the last place', () => {
  test('is kept for each person', () => {
    keepLastPlace('ana', { datasetId: 'd1', query: 'page=3' })
    keepLastPlace('bo', { datasetId: 'd2', query: '' })
    expect(readLastPlace('ana')).toEqual({ datasetId: 'd1', query: 'page=3' })
    expect(readLastPlace('bo')).toEqual({ datasetId: 'd2', query: '' })
    expect(readLastPlace('cy')).toBeNull()
  })

  test('stays when the person goes elsewhere', () => {
    keepLastPlace('ana', { datasetId: 'd1', query: 'page=3' })
    keepLastPlace('ana', null)
    expect(readLastPlace('ana')?.datasetId).toBe('d1')
  })

  test.each(['', '{', 'null', '7', '{"datasetId":"d"}', '{"datasetId":1,"query":""}'])('is none where storage says %j', text => {
    stored.set('postil.last.ana', text)
    expect(readLastPlace('ana')).toBeNull()
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
