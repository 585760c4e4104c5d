import { expect, test } from 'vitest'
import { toTemplateRecord } from './template-record.ts'

type Given = Parameters<typeof toTemplateRecord>[0]
const response = (user_id: string) => ({ user_id }) as NonNullable<Given['responses']>[number]
const record = {
  id: 'r',
  status: 'pending',
  fields: { card: { a: 1 } },
  metadata: null,
  external_id: null,
  vectors: { v: [1] },
  dataset_id: 'd',
  inserted_at: 'i',
  updated_at: 'u',
} as Given

test('a template sees what the API returns for the record', () => {
  expect(toTemplateRecord(record, 'me')).toEqual({
    id: 'r',
    external_id: null,
    status: 'pending',
    dataset_id: 'd',
    fields: { card: { a: 1 } },
    metadata: null,
    suggestions: [],
    responses: [],
    inserted_at: 'i',
    updated_at: 'u',
    query_score: null,
  })
})

test('a template sees the responses of the reader only', () => {
  const answered = { ...record, responses: [response('me'), response('other')] }
  expect(toTemplateRecord(answered, 'me').responses).toEqual([response('me')])
  expect(toTemplateRecord(answered, null).responses).toEqual([])
})

test('a record that was searched for knows how well it fits', () => {
  expect(toTemplateRecord({ ...record, query_score: 0.5 }, 'me').query_score).toBe(0.5)
})
