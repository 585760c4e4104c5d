import {
  AnyJson,
  AnyOf,
  Bool,
  Dictionary,
  Float,
  Id,
  Int,
  JSON_DEPTH_MAX,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  StrictInt,
  Tagged,
  Text,
  type TSchema,
  Type,
  Words,
} from '@postil/domain/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema, PROBLEMS_MAX } from './validate-schema.ts'
import { accepted, problemsOf, run } from './validate-testing.ts'

describe('objects', () => {
  const User = Shape({ name: Text(1), age: Optional(Int()), role: OneOf(['owner', 'admin'], { default: 'admin' }) })

  test('unknown keys are dropped and defaults filled in', () => {
    expect(accepted(User, { name: 'lena', secret: 1 })).toEqual({ name: 'lena', role: 'admin' })
  })

  test('problems come in the order of the schema, all of them', () => {
    expect(problemsOf(User, { role: 'x', age: 'x' })).toEqual([
      'missing ["body","name"]',
      'int_parsing ["body","age"]',
      'enum ["body","role"]',
    ])
  })

  test('a default that is an object is new for each value', () => {
    const schema = Shape({ tags: Optional(Type.Array(Text(), { default: [] })) })
    expect((accepted(schema, {}) as { tags: [] }).tags).not.toBe((accepted(schema, {}) as { tags: [] }).tags)
  })

  test('a null that is refused hides the other problems of that object only', () => {
    const Part = Shape({ title: Optional(Text(1)), size: Optional(Int()) }, { 'x-not-null': ['title'] })
    const schema = Shape({ first: Part, second: Part })
    expect(problemsOf(schema, { first: { title: null, size: 'x' }, second: { title: '', size: null } })).toEqual([
      'value_error ["body","first"]',
      'string_too_short ["body","second","title"]',
      'int_type ["body","second","size"]',
    ])
  })

  test('the refused null is named', () => {
    const schema = Shape({ title: Optional(Text()), a: Optional(Text()) }, { 'x-not-null': ['title', 'a'] })
    expect(run(schema, { title: null, a: null }).problems[0]?.msg).toBe('null is not allowed for: title, a')
  })

  test('an old spelling is read when the new one is absent', () => {
    const schema = Shape({ visible_options: Optional(Int()) }, { 'x-alias': { visible_labels: 'visible_options' } })
    expect(accepted(schema, { visible_labels: 3 })).toEqual({ visible_options: 3 })
    expect(accepted(schema, { visible_labels: 3, visible_options: 4 })).toEqual({ visible_options: 4 })
    expect(problemsOf(schema, { visible_labels: 'x' })).toEqual(['int_parsing ["body","visible_labels"]'])
  })

  test('a rule over the whole runs on converted, well-formed parts only', () => {
    const check = ({ min, max }: { min: number; max: number }) => (min <= max ? null : '`min` is greater than `max`')
    const schema = Shape({ range: Shape({ min: Int(), max: Int() }, { 'x-check': check }) })
    expect(accepted(schema, { range: { min: '9', max: '10' } })).toEqual({ range: { min: 9, max: 10 } })
    expect(run(schema, { range: { min: 2, max: 1 } }).problems).toEqual([
      { type: 'value_error', loc: ['body', 'range'], msg: '`min` is greater than `max`' },
    ])
    expect(problemsOf(schema, { range: { min: 2 } })).toEqual(['missing ["body","range","max"]'])
  })

  test('a rule over a list', () => {
    const schema = List(Text(), { 'x-check': (names: string[]) => (new Set(names).size < names.length ? 'twice' : null) })
    expect(problemsOf(schema, ['a', 'a'])).toEqual(['value_error ["body"]'])
  })

  test('a list names the position, and wrong items hide that there are too few', () => {
    expect(problemsOf(List(Int(), { minItems: 3 }), [1, 'x'])).toEqual(['int_parsing ["body",1]'])
    expect(problemsOf(List(Float()), [1, null, 'x'])).toEqual(['float_type ["body",1]', 'float_parsing ["body",2]'])
  })

  test('a list with very many problems reports the first ones', () => {
    expect(problemsOf(List(Float()), Array(1_000_000).fill(null))).toHaveLength(PROBLEMS_MAX)
  })
})

describe('keys of the prototype', () => {
  test('are no values of a shape', () => {
    expect(problemsOf(Shape({ constructor: Text() } as Record<string, TSchema>), {})).toEqual(['missing ["body","constructor"]'])
    expect(accepted(Shape({ name: Optional(Text()) }), JSON.parse('{"__proto__":{"name":"x"}}'))).toEqual({})
  })

  test('stay properties of a dictionary', () => {
    const text = '{"__proto__":1,"constructor":2}'
    const output = accepted(Dictionary(Int()), JSON.parse(text)) as object
    expect(JSON.stringify(output)).toBe(text)
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype)
  })

  test('choose no variant', () => {
    const schema = Tagged('type', { rating: Shape({}) })
    expect(problemsOf(schema, { type: 'constructor' })).toEqual(['union_tag_invalid ["body"]'])
    expect(problemsOf(schema, JSON.parse('{"__proto__":{"type":"rating"}}'))).toEqual(['union_tag_not_found ["body"]'])
  })
})

describe('dictionaries', () => {
  test('name the key of a wrong value', () => {
    expect(problemsOf(Dictionary(List(Float())), { a: [1], b: null })).toEqual(['list_type ["body","b"]'])
  })

  test('limit the length of keys, in code points', () => {
    const schema = Dictionary(Int(), { 'x-key-length': [1, 2] })
    expect(accepted(schema, { '😀😀': 1 })).toEqual({ '😀😀': 1 })
    expect(problemsOf(schema, { '': 1, abc: 1 })).toEqual([
      'string_too_short ["body","","[key]"]',
      'string_too_long ["body","abc","[key]"]',
    ])
  })
})

describe('settings chosen by their type', () => {
  const Settings = Tagged('type', {
    rating: Shape({ type: Words(['rating']), options: List(Shape({ value: StrictInt }), { minItems: 2 }) }),
    text: Shape({ type: Words(['text']), use_markdown: Bool({ default: false }) }),
  })
  const Question = Shape({ settings: Settings })

  test('the variant converts and fills in', () => {
    expect(accepted(Question, { settings: { type: 'text' } })).toEqual({ settings: { type: 'text', use_markdown: false } })
  })

  test.each([
    [{}, 'union_tag_not_found ["body","settings"]'],
    [{ type: 'x' }, 'union_tag_invalid ["body","settings"]'],
    [{ type: null }, 'union_tag_invalid ["body","settings"]'],
    [null, 'model_attributes_type ["body","settings"]'],
    [{ type: 'rating', options: [{ value: 'x' }] }, 'int_type ["body","settings","rating","options",0,"value"]'],
    [{ type: 'rating', options: [] }, 'too_short ["body","settings","rating","options"]'],
  ])('%j', (settings, expected) => {
    expect(problemsOf(Question, { settings })).toEqual([expected])
  })
})

describe('field values', () => {
  const Chat = List(Shape({ role: Text(1), content: Text(1) }))
  const Fields = Dictionary(Nullable(AnyOf({ str: Text(), 'list[ChatFieldValue]': Chat, 'dict[str,any]': Dictionary(AnyJson) })))

  test('text, messages, objects and null are taken', () => {
    const fields = { a: 'text', b: [{ role: 'user', content: 'hi', id: 1 }], c: { x: [1] }, d: null }
    expect(accepted(Fields, fields)).toEqual({ ...fields, b: [{ role: 'user', content: 'hi' }] })
  })

  test('anything else has a problem for each variant, under its label', () => {
    expect(problemsOf(Fields, { a: 3 })).toEqual([
      'string_type ["body","a","str"]',
      'list_type ["body","a","list[ChatFieldValue]"]',
      'dict_type ["body","a","dict[str,any]"]',
    ])
  })
})

test('any JSON is taken up to a depth', () => {
  const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  expect(accepted(AnyJson, nested(JSON_DEPTH_MAX))).toEqual(nested(JSON_DEPTH_MAX))
  expect(problemsOf(AnyJson, nested(JSON_DEPTH_MAX + 1))).toEqual(['value_error ["body"]'])
  expect(problemsOf(AnyJson, nested(1_000_000))).toEqual(['value_error ["body"]'])
})

test('a schema nobody could check is refused at start', () => {
  expect(() => compileSchema(Type.Union([Type.String(), Type.Integer()]))).toThrow('AnyOf or Tagged')
  expect(() => compileSchema(Type.String({ format: 'email' }))).toThrow('no format `email`')
  expect(() => compileSchema(Shape({}, { 'x-not-null': ['x'] }))).toThrow('`x`')
})

const pair = (schema: TSchema, value: unknown): [TSchema, unknown] => [schema, value]

/** A schema and a value that matches it. */
const fitting: fc.Arbitrary<[TSchema, unknown]> = fc.letrec<{ pair: [TSchema, unknown] }>(tie => ({
  pair: fc.oneof(
    { maxDepth: 4 },
    fc.string().map(text => pair(Text(0, 100), text)),
    fc.integer().map(number => pair(Int(), number)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => pair(Float(), number)),
    fc.boolean().map(flag => pair(Bool(), flag)),
    fc.uuid().map(id => pair(Id, id)),
    fc.jsonValue({ maxDepth: 5 }).map(value => pair(AnyJson, value)),
    fc.constantFrom('a', 'b').map(word => pair(OneOf(['a', 'b']), word)),
    tie('pair').map(([schema, value]) => pair(List(schema, { minItems: 1 }), [value, value])),
    tie('pair').map(([schema, value]) => pair(Nullable(schema), value)),
    fc
      .tuple(tie('pair'), fc.string())
      .map(([[schema, value], key]) => pair(Dictionary(schema), Object.fromEntries([[key, value]]))),
    fc
      .tuple(tie('pair'), tie('pair'))
      .map(([a, b]) => pair(Shape({ a: a[0], b: b[0], c: Optional(Text()) }), { a: a[1], b: b[1] })),
    tie('pair').map(([schema, value]) =>
      pair(Tagged('kind', { one: Shape({ kind: Words(['one']), value: schema }) }), { kind: 'one', value }),
    ),
  ),
})).pair

test('a value that fits passes unchanged', () => {
  fc.assert(
    fc.property(fitting, ([schema, value]) => {
      expect(accepted(schema, value)).toEqual(value)
    }),
  )
})

test('no JSON makes a validator throw', () => {
  fc.assert(
    fc.property(fitting, fc.jsonValue(), ([schema], value) => {
      run(schema, value)
    }),
  )
})
