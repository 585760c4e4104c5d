import { expect, test } from 'vitest'
import { type ExportChoices, toExportRequest } from './export-choices.ts'

const CHOICES: ExportChoices = {
  isFound: false,
  format: 'csv',
  of: 'all',
  userId: 'u',
  statuses: 'submitted',
  shape: 'wide',
  columns: null,
  question: 'entities',
}
const SEARCH = { query: { text: { q: 'refund' } } }

test.each<[string, Partial<ExportChoices>, object]>([
  ['everything', {}, { format: 'csv', responses: { of: 'all' }, shape: 'wide', columns: null, statuses: ['submitted'] }],
  ['what is found', { isFound: true }, { search: SEARCH }],
  ['one person', { of: 'user' }, { responses: { of: 'user', user_id: 'u' } }],
  ['columns', { columns: ['a', 'b'], statuses: 'all' }, { columns: ['a', 'b'] }],
  ['a row for each response', { shape: 'long' }, { shape: 'long' }],
])('asks for %s', (_, given, expected) => {
  expect(toExportRequest({ ...CHOICES, ...given }, SEARCH)).toMatchObject(expected)
})

test.each<[string, Partial<ExportChoices>, object]>([
  ['resolved answers have no rows of their own', { of: 'resolved', shape: 'long' }, { shape: 'wide' }],
  ['a folder for the SDK has all responses', { format: 'disk', of: 'resolved' }, { responses: { of: 'all' } }],
  [
    'texts with spans are made of responses',
    { format: 'conll', of: 'none' },
    { responses: { of: 'resolved' }, question: 'entities' },
  ],
])('%s', (_, given, expected) => {
  expect(toExportRequest({ ...CHOICES, ...given }, null)).toMatchObject(expected)
})

test.each<[Partial<ExportChoices>, string[]]>([
  [{ format: 'disk' }, ['columns', 'shape', 'statuses', 'question']],
  [{ format: 'spacy' }, ['columns', 'shape']],
  [{ of: 'resolved' }, ['statuses', 'question']],
  [{}, ['search', 'question']],
])('what does not go with %o is not sent', (given, absent) => {
  const keys = Object.keys(toExportRequest({ ...CHOICES, ...given }, null))
  expect(keys.filter(key => absent.includes(key))).toEqual([])
})
