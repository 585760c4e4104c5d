import { describe, expect, test } from 'vitest'
import { checkPublishable, DatasetCreate, DatasetUpdate, mergeDatasetMetadata } from './datasets.ts'
import { accepts, refusal } from './testing.ts'

const workspace_id = 'b3a1a1f0-6f43-4f6e-9f7c-2f1f6a6f2b11'

test.each([
  { why: 'a name', body: { name: 'reviews' }, ok: true },
  { why: 'a name of 200 characters', body: { name: 'x'.repeat(200) }, ok: true },
  { why: 'a name of 201 characters', body: { name: 'x'.repeat(201) }, ok: false },
  { why: 'an empty name', body: { name: '' }, ok: false },
  { why: 'no name', body: {}, ok: false },
  { why: 'null guidelines', body: { name: 'x', guidelines: null }, ok: true },
  { why: 'empty guidelines', body: { name: 'x', guidelines: '' }, ok: false },
  { why: 'guidelines of 10,000 characters', body: { name: 'x', guidelines: 'x'.repeat(10_000) }, ok: true },
  { why: 'guidelines of 10,001 characters', body: { name: 'x', guidelines: 'x'.repeat(10_001) }, ok: false },
  { why: 'a null distribution', body: { name: 'x', distribution: null }, ok: false },
  { why: 'metadata that is a list', body: { name: 'x', metadata: [] }, ok: false },
])('a new dataset with $why -> $ok', ({ body, ok }) => {
  expect(accepts(DatasetCreate, { workspace_id, ...body })).toBe(ok)
})

test('a patch may clear guidelines and metadata only', () => {
  expect(accepts(DatasetUpdate, { guidelines: null, metadata: null })).toBe(true)
  for (const key of ['name', 'allow_extra_metadata', 'distribution']) expect(accepts(DatasetUpdate, { [key]: null })).toBe(false)
})

describe('publishing', () => {
  const required = { required: true }
  const optional = { required: false }

  test.each([
    {
      why: 'is refused a second time, before anything else',
      status: 'ready' as const,
      fields: [],
      questions: [],
      says: 'already published',
    },
    { why: 'is refused without a field', status: 'draft' as const, fields: [], questions: [], says: 'without a field' },
    {
      why: 'is refused without a required field',
      status: 'draft' as const,
      fields: [optional],
      questions: [],
      says: 'required field',
    },
    {
      why: 'is refused without a question',
      status: 'draft' as const,
      fields: [required],
      questions: [],
      says: 'required question',
    },
    {
      why: 'is refused without a required question',
      status: 'draft' as const,
      fields: [required],
      questions: [optional],
      says: 'required question',
    },
  ])('$why', ({ status, fields, questions, says }) => {
    expect(refusal(() => checkPublishable({ status }, fields, questions))?.message).toContain(says)
  })

  test('needs one required field and one required question', () => {
    expect(refusal(() => checkPublishable({ status: 'draft' }, [optional, required], [required, optional]))).toBeNull()
  })
})

describe('metadata of a dataset', () => {
  test('is merged key by key at the top level', () => {
    expect(mergeDatasetMetadata({ a: 1, b: { c: 1 } }, { b: { d: 2 } })).toEqual({ a: 1, b: { d: 2 } })
    expect(mergeDatasetMetadata(null, { a: 1 })).toEqual({ a: 1 })
  })

  test('is cleared by null', () => {
    expect(mergeDatasetMetadata({ a: 1 }, null)).toBeNull()
  })

  test('may have a key called __proto__', () => {
    const merged = mergeDatasetMetadata({ a: 1 }, JSON.parse('{"__proto__": {"admin": true}}'))
    expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"admin":true}}')
  })
})
