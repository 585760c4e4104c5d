import { expect, test } from 'vitest'
import { comparedFields, fieldParts } from './compared-fields.ts'

const [chat, one, two, note] = ['chat', 'one', 'two', 'note'].map(name => ({ name }))
const named = (fields: readonly ({ name: string } | undefined)[]) => fields.map(field => field?.name).join(' ')
const all = [chat, one, two, note].flatMap(field => field ?? [])

test.each([
  { why: 'none named: the last two', names: [], compared: 'two note' },
  { why: 'as named, in the order of the dataset', names: ['two', 'chat'], compared: 'chat two' },
  { why: 'names of fields that are gone', names: ['old', 'one'], compared: 'two note' },
])('$why', ({ names, compared }) => {
  expect(named(comparedFields(all, names))).toBe(compared)
})

test('of a single field, nothing can be compared', () => {
  expect(comparedFields(all.slice(0, 1), []).length).toBe(1)
})

test.each([
  { why: 'none beside another', beside: [], parts: ['context: chat one two note'] },
  { why: 'two side by side, below the others', beside: ['one', 'two'], parts: ['context: chat note', 'side: one two'] },
  { why: 'the other has no value in this record', beside: ['two'], parts: ['context: chat one two note'] },
  { why: 'all', beside: ['chat', 'one', 'two', 'note'], parts: ['side: chat one two note'] },
])('parts: $why', ({ beside, parts }) => {
  const fields = all.filter(({ name }) => beside.includes(name))
  expect(fieldParts(all, fields).map(part => `${part.name}: ${named(part.fields)}`)).toEqual(parts)
})
