import { expect, test } from 'vitest'
import { ALL_RECORDS, toDeletionQuery } from './deletion.ts'

const SOURCE = {
  target: { of: 'metadata', name: 'source', property: 'value' },
  value: { kind: 'terms', values: ['web'] },
} as const
const status = (value: string) => ({ type: 'terms', scope: { entity: 'record', property: 'status' }, values: [value] })
const source = { type: 'terms', scope: { entity: 'metadata', metadata_property: 'source' }, values: ['web'] }

test('queries for all records, a status, a search and filters, over all queues', () => {
  expect(toDeletionQuery(ALL_RECORDS, 'any')).toEqual({})
  expect(toDeletionQuery(ALL_RECORDS, 'completed')).toEqual({ filters: { and: [status('completed')] } })
  const filters = [{ ...SOURCE, value: { ...SOURCE.value, values: ['web'] } }]
  expect(toDeletionQuery({ ...ALL_RECORDS, search: { text: 'apple', field: null }, filters }, 'pending')).toEqual({
    query: { text: { q: 'apple' } },
    filters: { and: [status('pending'), source] },
  })
})
