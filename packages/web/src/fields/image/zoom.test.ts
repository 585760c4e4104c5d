import { expect, test } from 'vitest'
import { fitZoom, scrollTo, stepZoom, turned, wheelZoom, ZOOM_MAX, ZOOM_MIN } from './zoom.ts'

test.each([
  { image: { width: 1000, height: 500 }, zoom: 0.5 },
  { image: { width: 500, height: 1600 }, zoom: 0.25 },
  { image: { width: 20, height: 20 }, zoom: 1 },
  { image: { width: 0, height: 0 }, zoom: 1 },
  { image: { width: 1e9, height: 1 }, zoom: ZOOM_MIN },
])('an image of $image fits at $zoom', ({ image, zoom }) => {
  expect(fitZoom(image, { width: 500, height: 400 })).toBe(zoom)
})

test('steps halt at 100 % and end at the limits', () => {
  expect(stepZoom(0.9, 1)).toBe(1)
  expect(stepZoom(1, 1)).toBe(1.25)
  expect(stepZoom(1.1, -1)).toBe(1)
  expect(stepZoom(ZOOM_MAX, 1)).toBe(ZOOM_MAX)
  expect(stepZoom(ZOOM_MIN, -1)).toBe(ZOOM_MIN)
})

test('the wheel zooms in upwards, and one turn never by much', () => {
  expect(wheelZoom(1, -100)).toBeGreaterThan(1)
  expect(wheelZoom(1, 100)).toBeLessThan(1)
  expect(wheelZoom(1, -1e6)).toBeLessThan(2)
})

test('the point under the pointer stays where it is', () => {
  expect(scrollTo(0, 100, 2)).toBe(100)
  expect(scrollTo(50, 0, 2)).toBe(100)
})

test('a quarter turn changes width and height', () => {
  expect(turned({ width: 3, height: 2 }, 90)).toEqual({ width: 2, height: 3 })
  expect(turned({ width: 3, height: 2 }, 180)).toEqual({ width: 3, height: 2 })
})
