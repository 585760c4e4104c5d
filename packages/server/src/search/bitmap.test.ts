import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Bitmap } from './bitmap.ts'

const ordinals = fc.uniqueArray(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 5_000 })), { maxLength: 80 })

function bitmapOf(listed: readonly number[]): Bitmap {
  const bitmap = new Bitmap()
  bitmap.fill(listed)
  return bitmap
}

const ascending = (listed: Iterable<number>) => [...listed].sort((a, b) => a - b)

describe('a bitmap', () => {
  test('combines like a set', () => {
    const property = fc.property(ordinals, ordinals, (left, right) => {
      const [a, b] = [new Set(left), new Set(right)]
      expect([...bitmapOf(left).and(bitmapOf(right)).ordinals()]).toEqual(ascending(a.intersection(b)))
      expect([...bitmapOf(left).or(bitmapOf(right)).ordinals()]).toEqual(ascending(a.union(b)))
      expect([...bitmapOf(left).andNot(bitmapOf(right)).ordinals()]).toEqual(ascending(a.difference(b)))
      expect(bitmapOf(left).count()).toBe(a.size)
    })
    fc.assert(property)
  })

  test('returns any page of its ordinals', () => {
    const page = fc.nat({ max: 100 })
    const property = fc.property(ordinals, page, page, (listed, offset, limit) => {
      expect([...bitmapOf(listed).page(offset, limit)]).toEqual(ascending(listed).slice(offset, offset + limit))
    })
    fc.assert(property)
  })

  test('forgets ordinals that are cleared', () => {
    const property = fc.property(ordinals, ordinals, (set, cleared) => {
      const bitmap = bitmapOf(set)
      for (const ordinal of cleared) bitmap.clear(ordinal)
      const left = set.filter(ordinal => !cleared.includes(ordinal))
      expect(set.filter(ordinal => bitmap.has(ordinal))).toEqual(left)
      expect(bitmap.count()).toBe(left.length)
    })
    fc.assert(property)
  })

  test('does not change with its clone', () => {
    const bitmap = bitmapOf([1, 40])
    bitmap.clone().clear(40)
    expect([...bitmap.ordinals()]).toEqual([1, 40])
  })

  test.each([0, 31, 32, 33, 1_000_000])('holds the ordinal %i alone', ordinal => {
    const bitmap = bitmapOf([ordinal])
    expect([[...bitmap.ordinals()], bitmap.count(), bitmap.has(ordinal + 1)]).toEqual([[ordinal], 1, false])
  })
})
