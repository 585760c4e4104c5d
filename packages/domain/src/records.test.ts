import { describe, expect, test } from 'vitest'
import { ShapeError } from './errors.ts'
import { prepareRecordRules } from './record-rules.ts'
import {
  checkFields,
  checkMetadata,
  checkUpsertItems,
  checkVectors,
  type RecordMetadata,
  RecordsBulkCreate,
  RecordsBulkUpsert,
  RecordsCreate,
  RecordsUpdate,
  RecordUpdate,
  toStoredFields,
} from './records.ts'
import { accepts, refusal } from './testing.ts'
import type { RecordVectors } from './vectors.ts'

const rules = prepareRecordRules({
  fields: [
    { name: 'prompt', required: true, settings: { type: 'text', use_markdown: false } },
    { name: 'talk', required: false, settings: { type: 'chat', use_markdown: true } },
    { name: '__proto__', required: false, settings: { type: 'text', use_markdown: false } },
  ],
  metadataProperties: [{ name: 'length', settings: { type: 'integer', min: 0, max: 10 } }],
  vectorsSettings: [{ name: 'embed', dimensions: 3 }],
  allowExtraMetadata: false,
})

describe('fields of a record', () => {
  test.each([
    { why: 'valid', fields: { prompt: 'hi', talk: [] }, says: null },
    { why: 'valid with an empty text and a null', fields: { prompt: '', talk: null }, says: null },
    { why: 'null', fields: null, says: 'at least one value' },
    { why: 'empty', fields: {}, says: 'at least one value' },
    { why: 'without a required one', fields: { talk: 3, x: 1 }, says: 'without a value: `prompt`' },
    { why: 'null in a required one', fields: { prompt: null }, says: 'without a value: `prompt`' },
    { why: 'unknown', fields: { prompt: 3, x: 1, y: 2 }, says: 'Not fields of this dataset: `x`, `y`. Fields: `prompt`, `talk`' },
    { why: 'of a wrong type', fields: { prompt: 'hi', talk: 'hi' }, says: '`talk` expects a list of messages' },
  ])('that are $why are refused with: $says', ({ fields, says }) => {
    const message = refusal(() => checkFields(fields, rules))?.message ?? null
    if (says === null) expect(message).toBeNull()
    else expect(message).toContain(says)
  })

  test('have errors with the path of the invalid value', () => {
    expect(refusal(() => checkFields({ prompt: 3 }, rules))?.at).toEqual(['fields', 'prompt'])
  })

  test('may be called __proto__', () => {
    expect(refusal(() => checkFields(JSON.parse('{"prompt": "hi", "__proto__": 3}'), rules))?.at).toEqual(['fields', '__proto__'])
    const stored = toStoredFields(JSON.parse('{"prompt": "hi", "__proto__": "x"}'), rules)
    expect(JSON.stringify(stored)).toBe('{"prompt":"hi","__proto__":"x"}')
  })

  test('are stored without the keys of messages that mean nothing', () => {
    const talk = [{ role: 'user', content: 'hi', at: 'noon' }]
    expect(toStoredFields({ prompt: 'hi', talk }, rules)).toEqual({ prompt: 'hi', talk: [{ role: 'user', content: 'hi' }] })
    expect(toStoredFields({ prompt: 'hi', talk: null }, rules)).toEqual({ prompt: 'hi', talk: null })
  })
})

describe('metadata of a record', () => {
  test.each<{ metadata: RecordMetadata | null; at: string[] | null }>([
    { metadata: null, at: null },
    { metadata: {}, at: null },
    { metadata: { length: 3 }, at: null },
    { metadata: { length: null }, at: null },
    { metadata: { length: 11 }, at: ['metadata', 'length'] },
    { metadata: { other: 1 }, at: ['metadata', 'other'] },
    { metadata: { constructor: 1 }, at: ['metadata', 'constructor'] },
  ])('$metadata is refused at $at', ({ metadata, at }) => {
    expect(refusal(() => checkMetadata(metadata, rules))?.at ?? null).toEqual(at)
  })

  test('may be anything more when the dataset allows it', () => {
    const open = prepareRecordRules({ allowExtraMetadata: true })
    expect(refusal(() => checkMetadata({ other: { any: 'thing' } }, open))).toBeNull()
  })
})

describe('vectors of a record', () => {
  test.each<{ vectors: RecordVectors | null; says: string | null }>([
    { vectors: null, says: null },
    { vectors: { embed: [1, 2, 3] }, says: null },
    { vectors: { embed: [0, 0, 0] }, says: null },
    { vectors: { embed: [1, 2] }, says: 'should have 3 dimensions, not 2' },
    { vectors: { embed: [1, 2, 3, 4] }, says: 'should have 3 dimensions, not 4' },
    { vectors: { embed: [1, 2, Number.NaN] }, says: 'not finite' },
    { vectors: { embed: [1, 2, Number.POSITIVE_INFINITY] }, says: 'not finite' },
    { vectors: { other: [1] }, says: '`other` is not a vector of this dataset. Vectors: `embed`' },
    { vectors: { toString: [1] }, says: 'not a vector' },
  ])('$vectors are refused with: $says', ({ vectors, says }) => {
    const message = refusal(() => checkVectors(vectors, rules))?.message ?? null
    if (says === null) expect(message).toBeNull()
    else expect(message).toContain(says)
  })
})

describe('bodies of records', () => {
  const id = '00000000-0000-4000-8000-000000000001'
  const items = (count: number, item: object) => ({ items: Array.from({ length: count }, () => item) })

  test.each([
    { name: 'bulk create', schema: RecordsBulkCreate, item: { fields: {} }, most: 500 },
    { name: 'bulk upsert', schema: RecordsBulkUpsert, item: {}, most: 500 },
    { name: 'old create', schema: RecordsCreate, item: { fields: {} }, most: 1000 },
    { name: 'old update', schema: RecordsUpdate, item: { id }, most: 1000 },
  ])('of a $name hold 1 to $most records', ({ schema, item, most }) => {
    expect([0, 1, most, most + 1].map(count => accepts(schema, items(count, item)))).toEqual([false, true, true, false])
  })

  test('need fields to create a record', () => {
    expect(accepts(RecordsBulkCreate, { items: [{ metadata: {} }] })).toBe(false)
    expect(accepts(RecordsBulkCreate, { items: [{ fields: null }] })).toBe(false)
    expect(accepts(RecordsBulkUpsert, { items: [{ id, fields: null }] })).toBe(true)
  })

  test('do not repeat an external id', () => {
    const given = (...ids: (string | null)[]) => ids.map(external_id => ({ fields: {}, external_id }))
    expect(accepts(RecordsBulkCreate.properties.items, given('a', 'b', null, null))).toBe(true)
    expect(accepts(RecordsBulkCreate.properties.items, given('a', 'b', 'a'))).toBe(false)
    expect(accepts(RecordsBulkUpsert.properties.items, given('', ''))).toBe(false)
  })

  test('of an update may hold any part or none', () => {
    expect(accepts(RecordUpdate, {})).toBe(true)
    expect(accepts(RecordUpdate, { fields: null, metadata: null, suggestions: null, vectors: null })).toBe(true)
    expect(accepts(RecordUpdate, { vectors: { embed: null } })).toBe(false)
  })

  test('of an upsert with no known key lack fields', () => {
    expect(() => checkUpsertItems([{ id }, { metadata: null }])).not.toThrow()
    try {
      checkUpsertItems([{ id }, {}])
      expect.unreachable()
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      expect(error.problems).toMatchObject([{ type: 'missing', loc: ['body', 'items', 1, 'fields'] }])
    }
  })
})
