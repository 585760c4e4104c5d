import type { ShapeProblem } from '@postil/domain/errors'
import {
  AnyJson,
  Bool,
  Dictionary,
  Float,
  Id,
  Int,
  List,
  Nullable,
  NumberAsText,
  OneOf,
  Optional,
  Shape,
  StrictInt,
  Text,
  type TSchema,
  Type,
  Words,
} from '@postil/domain/schema'
import { describe, expect, test } from 'vitest'
import { compileSchema, validateQuery } from './validate.ts'
import { accepted, problemsOf, toSummaries } from './validate-testing.ts'

const ID = '6a0c0b0e-2f0e-4f3d-9a54-3c0d6d9b7f11'
const WebUrl = Type.String({ format: 'uri' })

describe('lax input', () => {
  test.each<[string, TSchema, unknown, unknown]>([
    ['an integer', Int(), 3, 3],
    ['an integer as text', Int(), '3', 3],
    ['a negative integer as text', Int(), ' -3 ', -3],
    ['an integer with an empty fraction, as text', Int(), '3.0', 3],
    ['an integer with an empty fraction', Int(), JSON.parse('3.0'), 3],
    ['a strict integer', StrictInt, 3, 3],
    ['a float', Float(), 0.5, 0.5],
    ['a float as text', Float(), '1', 1],
    ['a float with an exponent, as text', Float(), '-1.5e3', -1500],
    ...[true, 1, 'true', 'T', 'yes', 'Y', 'ON', '1'].map(
      word => ['true', Bool(), word, true] as [string, TSchema, unknown, unknown],
    ),
    ...[false, 0, 'FALSE', 'f', 'No', 'n', 'off', '0'].map(
      word => ['false', Bool(), word, false] as [string, TSchema, unknown, unknown],
    ),
    ['a number where text may be a number', NumberAsText, 5, '5'],
    ['a fraction where text may be a number', NumberAsText, 1.5, '1.5'],
    ['text that is trimmed before it is measured', Type.String({ 'x-trim': true, maxLength: 2 }), '  ab  ', 'ab'],
    ['three code points in six units', Text(3, 3), '😀😀😀', '😀😀😀'],
    ['a UUID', Id, ID, ID],
    ['a UUID in upper case', Id, ID.toUpperCase(), ID],
    ['a UUID without hyphens', Id, ID.replaceAll('-', ''), ID],
    ['a UUID as URN', Id, `urn:uuid:${ID}`, ID],
    ['a UUID in braces', Id, `{${ID}}`, ID],
    ['a URL, written the usual way', WebUrl, 'HTTP://Example.com:81', 'http://example.com:81/'],
    ['null where it may be', Nullable(Int()), null, null],
    ['a value where null may be', Nullable(Int()), '7', 7],
    ['numbers as text in a vector', List(Float()), [1, '2', 3], [1, 2, 3]],
  ])('%s is taken', (_, schema, value, expected) => {
    expect(accepted(schema, value)).toEqual(expected)
  })
})

describe('a wrong value is reported by its kind', () => {
  test.each<[string, TSchema, unknown]>([
    ['string_type', Text(), 3],
    ['string_type', Text(), null],
    ['string_type', NumberAsText, true],
    ['string_too_short', Text(1), ''],
    ['string_too_short', Text(2), '😀'],
    ['string_too_short', Type.String({ 'x-trim': true, minLength: 1 }), '   '],
    ['string_too_long', Text(0, 2), 'abc'],
    ['string_pattern_mismatch', Type.String({ pattern: '^[a-z]+$' }), 'A'],
    ['value_error', Text(), 'a\0b'],
    ['int_type', Int(), null],
    ['int_type', Int(), true],
    ['int_type', Int(), [1]],
    ['int_parsing', Int(), 'three'],
    ['int_parsing', Int(), ''],
    ['int_parsing', Int(), '3.5'],
    ['int_parsing', Int(), '9007199254740993'],
    ['int_parsing', Int(), '9'.repeat(100_000)],
    ['int_from_float', Int(), 3.5],
    ['int_type', StrictInt, '3'],
    ['int_type', StrictInt, 3.5],
    ['float_type', Float(), null],
    ['float_type', Float(), true],
    ['float_parsing', Float(), 'x'],
    ['float_parsing', Float(), 'NaN'],
    ['float_parsing', Float(), '1e400'],
    ['float_parsing', Float(), `${'1'.repeat(100_000)}x`],
    ['bool_type', Bool(), null],
    ['bool_parsing', Bool(), 'maybe'],
    ['bool_parsing', Bool(), 2],
    ['greater_than_equal', Int({ minimum: 1 }), 0],
    ['less_than_equal', Int({ maximum: 1 }), 2],
    ['less_than_equal', Int({ maximum: 1 }), 1e300],
    ['greater_than', Int({ exclusiveMinimum: 0 }), '0'],
    ['less_than_equal', Float({ maximum: 1 }), 1.01],
    ['enum', OneOf(['a', 'b']), 'c'],
    ['enum', OneOf(['a', 'b']), 1],
    ['literal_error', Words(['a', 'b']), 'c'],
    ['literal_error', Type.Literal('a'), 'b'],
    ['uuid_parsing', Id, 'x'],
    ['uuid_parsing', Id, `{${ID}`],
    ['uuid_type', Id, 3],
    ['url_type', WebUrl, 3],
    ['url_parsing', WebUrl, 'example.com/path'],
    ['url_scheme', WebUrl, 'ftp://example.com/'],
    ['url_too_long', WebUrl, `http://example.com/${'a'.repeat(2083)}`],
    ['list_type', List(Int()), null],
    ['list_type', List(Int()), { 0: 1 }],
    ['too_short', List(Int(), { minItems: 1 }), []],
    ['too_long', List(Int(), { maxItems: 1 }), [1, 'x']],
    ['dict_type', Dictionary(AnyJson), []],
    ['dict_type', Dictionary(AnyJson), null],
    ['model_attributes_type', Shape({}), []],
    ['model_attributes_type', Shape({}), 'text'],
    ['model_attributes_type', Shape({}), null],
    ['none_required', Type.Null(), 1],
    ['value_error', AnyJson, Number.NaN],
  ])('%s', (type, schema, value) => {
    expect(problemsOf(schema, value)).toEqual([`${type} ["body"]`])
  })
})

describe('query', () => {
  const Query = Shape({
    limit: Int({ minimum: 1, default: 50 }),
    include: Optional(List(Words(['responses', 'vectors']))),
    ids: Optional(Nullable(List(Id))),
    q: Optional(Text()),
  })
  const query = (search: string) => {
    const problems: ShapeProblem[] = []
    return { value: validateQuery(Query, new URLSearchParams(search), problems), problems: toSummaries(problems) }
  }

  test('single values take the last, lists take all', () => {
    expect(query(`limit=1&limit=2&include=responses&include=vectors&ids=${ID}&x=1`)).toEqual({
      value: { limit: 2, include: ['responses', 'vectors'], ids: [ID] },
      problems: [],
    })
  })

  test('what is absent has its default', () => {
    expect(query('').value).toEqual({ limit: 50 })
  })

  test.each([
    ['limit=0', 'greater_than_equal ["query","limit"]'],
    ['limit=', 'int_parsing ["query","limit"]'],
    ['include=responses&include=x', 'literal_error ["query","include",1]'],
    ['ids=x', 'uuid_parsing ["query","ids",0]'],
    ['q=a%00b', 'value_error ["query","q"]'],
  ])('%s', (search, expected) => {
    expect(query(search).problems).toEqual([expected])
  })
})

test('a problem in the path names the parameter', () => {
  const problems: ShapeProblem[] = []
  compileSchema(Shape({ dataset_id: Id }))({ dataset_id: 'x' }, ['path'], problems)
  expect(toSummaries(problems)).toEqual(['uuid_parsing ["path","dataset_id"]'])
})
