import { describe, expect, test } from 'vitest'
import { accepts, isRefused, refusal } from '../testing.ts'
import { float } from './float.ts'
import { integer } from './integer.ts'
import { METADATA_TYPES, MetadataSettings, metadataTypeOf } from './registry.ts'
import { terms } from './terms.ts'

describe('terms property', () => {
  const property = (values: (string | number | boolean | null)[] | null) => ({
    name: 'source',
    settings: { type: 'terms' as const, values },
  })

  test.each([
    { value: 'web', ok: true },
    { value: ['web', 3, true], ok: true },
    { value: [], ok: true },
    { value: 'mail', ok: false },
    { value: ['web', 'mail'], ok: false },
    { value: '3', ok: false },
    { value: 'true', ok: false },
    { value: [null], ok: false },
    { value: {}, ok: false },
  ])('of the terms web, 3 and true takes $value -> $ok', ({ value, ok }) => {
    expect(isRefused(() => terms.checkValue(value, property(['web', 3, true])))).toBe(!ok)
  })

  test.each([
    { value: 'anything', ok: true },
    { value: 3.5, ok: true },
    { value: [null, ['nested']], ok: true },
    { value: { a: 1 }, ok: false },
    { value: ['a', { a: 1 }], ok: false },
    { value: [[{ a: 1 }]], ok: false },
    { value: 'x'.repeat(8000), ok: true },
    { value: 'x'.repeat(8001), ok: false },
    { value: 'é'.repeat(4000), ok: true },
    { value: 'é'.repeat(4001), ok: false },
    { value: '漢'.repeat(2666), ok: true },
    { value: '漢'.repeat(2667), ok: false },
    { value: '👍'.repeat(2000), ok: true },
    { value: '👍'.repeat(2001), ok: false },
  ])('without a list of terms takes anything an index can hold (case %#)', ({ value, ok }) => {
    expect(isRefused(() => terms.checkValue(value, property(null)))).toBe(!ok)
  })

  test('names the terms when a value is none of them', () => {
    expect(refusal(() => terms.checkValue('mail', property(['web', 3])))?.message).toBe(
      '`mail` is not a term of metadata property `source`. Terms: web, 3',
    )
  })

  test.each([
    { values: null, ok: true },
    { values: [1], ok: true },
    { values: [], ok: false },
    { values: Array.from({ length: 250 }, () => 'x'), ok: true },
    { values: Array.from({ length: 251 }, () => 'x'), ok: false },
  ])('has 1 to 250 terms (case %#)', ({ values, ok }) => {
    expect(accepts(terms.settingsCreate, { type: 'terms', values })).toBe(ok)
  })

  test('is searched by texts: lists are flattened, nulls dropped, other values become JSON', () => {
    expect(terms.toSearch(['a', [1, null], true])).toEqual(['a', '1', 'true'])
  })
})

describe.each([
  { type: integer, name: 'integer' as const },
  { type: float, name: 'float' as const },
])('$name property', ({ type, name }) => {
  const check = (value: number, min: number | null, max: number | null) =>
    isRefused(() =>
      metadataTypeOf({ type: name }).checkValue(value, { name: 'size', settings: { type: name, min, max } as { type: string } }),
    )

  test('has inclusive bounds', () => {
    expect([1, 2, 3].map(value => check(value, 1, 3))).toEqual([false, false, false])
    expect([0, 4].map(value => check(value, 1, 3))).toEqual([true, true])
    expect(check(-5, null, 3)).toBe(false)
    expect(check(5, 1, null)).toBe(false)
  })

  test.each([
    { min: 1, max: 2, ok: true },
    { min: 1, max: 1, ok: false },
    { min: 2, max: 1, ok: false },
    { min: null, max: 1, ok: true },
    { min: 1, max: null, ok: true },
  ])('takes bounds $min to $max -> $ok', ({ min, max, ok }) => {
    expect(accepts(type.settingsCreate, { type: name, min, max })).toBe(ok)
  })
})

test.each([
  { value: 3, forInteger: true, forFloat: true },
  { value: -3, forInteger: true, forFloat: true },
  { value: 1.5, forInteger: false, forFloat: true },
  { value: '1', forInteger: false, forFloat: false },
  { value: true, forInteger: false, forFloat: false },
  { value: [1], forInteger: false, forFloat: false },
  { value: Number.MAX_SAFE_INTEGER, forInteger: true, forFloat: true },
  { value: 2 ** 53, forInteger: false, forFloat: true },
  { value: Number.POSITIVE_INFINITY, forInteger: false, forFloat: false },
  { value: Number.NaN, forInteger: false, forFloat: false },
])('number property $value -> integer $forInteger, float $forFloat', ({ value, forInteger, forFloat }) => {
  const bounds = { min: null, max: null }
  expect(isRefused(() => integer.checkValue(value, { name: 'n', settings: { type: 'integer', ...bounds } }))).toBe(!forInteger)
  expect(isRefused(() => float.checkValue(value, { name: 'n', settings: { type: 'float', ...bounds } }))).toBe(!forFloat)
})

test('integers are searched as they are, floats with 32 bits', () => {
  expect(integer.toSearch(3)).toEqual([3])
  expect(float.toSearch(0.1)).toEqual([Math.fround(0.1)])
})

test('every metadata property type is found by the type of its settings', () => {
  for (const type of METADATA_TYPES) expect(metadataTypeOf({ type: type.name })).toBe(type)
  expect(() => metadataTypeOf({ type: 'date' })).toThrow()
  expect(accepts(MetadataSettings, { type: 'integer', min: null, max: 3 })).toBe(true)
})
