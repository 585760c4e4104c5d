import type { Json } from '@postil/domain/schema'
import { expect, test } from 'vitest'
import { createJsonShape } from './json-shape.ts'

test.each<{ what: string; values: (Json | undefined)[]; type: unknown }>([
  {
    what: 'the same keys',
    values: [
      { a: 1, b: 'x' },
      { b: 'y', a: 2 },
    ],
    type: { struct: { a: 'int64', b: 'string' } },
  },
  { what: 'records without the field', values: [undefined, { a: true }, null], type: { struct: { a: 'bool' } } },
  { what: 'a key that is null somewhere', values: [{ a: null }, { a: 'x' }], type: { struct: { a: 'string' } } },
  { what: 'a key that is null everywhere', values: [{ a: null }], type: { struct: { a: 'string' } } },
  { what: 'whole and other numbers', values: [{ a: 1 }, { a: 0.5 }], type: { struct: { a: 'float64' } } },
  { what: 'a whole number without an exact value', values: [{ a: 2 ** 60 }], type: { struct: { a: 'float64' } } },
  {
    what: 'lists, one of them empty',
    values: [{ a: [] }, { a: [{ b: 1 }] }],
    type: { struct: { a: { list: { struct: { b: 'int64' } } } } },
  },
  { what: 'a list that is always empty', values: [{ a: [] }], type: { struct: { a: { list: 'string' } } } },
  { what: 'a key that is missing somewhere', values: [{ a: 1, b: 2 }, { a: 1 }], type: 'json' },
  { what: 'another key', values: [{ a: 1 }, { b: 1 }], type: 'json' },
  { what: 'types that differ', values: [{ a: 1 }, { a: 'x' }], type: 'json' },
  { what: 'types that differ within a list', values: [{ a: [1, 'x'] }], type: 'json' },
  { what: 'a list and a struct', values: [{ a: [] }, { a: { b: 1 } }], type: 'json' },
  { what: 'an empty object', values: [{}], type: 'json' },
  { what: 'a key that names a type for readers', values: [{ _type: 'Image' }], type: 'json' },
  { what: 'an empty key', values: [{ '': 1 }], type: 'json' },
  { what: 'keys of data', values: [Object.fromEntries(Array.from({ length: 201 }, (_, key) => [`k${key}`, key]))], type: 'json' },
  { what: 'deep nesting', values: [JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`)], type: 'json' },
])('$what', ({ values, type }) => {
  const shape = createJsonShape()
  for (const value of values) shape.add(value)
  expect(shape.type()).toEqual(type)
  expect(shape.isFinal()).toBe(type === 'json')
})

test('a key called __proto__ stays a key', () => {
  const shape = createJsonShape()
  shape.add(JSON.parse('{"__proto__": 1}'))
  expect(Object.entries((shape.type() as { struct: object }).struct)).toEqual([['__proto__', 'int64']])
})
