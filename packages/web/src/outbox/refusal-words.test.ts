import { expect, test } from 'vitest'
import { en } from '../i18n/en/all.ts'
import { describeNotSaved, describeRefusal, refusedQuestion } from './refusal-words.ts'

const RAW = 'Record with id `01a1e337` not found'

test('a deleted record and a lost membership are told as such', () => {
  expect(describeRefusal({ code: 'not_found', message: RAW })).toBe(en.annotate.record_deleted)
  expect(describeNotSaved({ kind: 'refused', code: 'not_found', message: RAW })).toBe(en.annotate.record_deleted)
  expect(describeNotSaved({ kind: 'refused', code: 'forbidden', message: 'Operation not allowed' })).toBe(
    en.annotate.refused.replace('{message}', en.problems.answer_membership),
  )
})

test('what was answered elsewhere is told without the times of the server', () => {
  expect(describeNotSaved({ kind: 'conflict', code: 'conflict', message: '`if_updated_at` is …' })).toBe(en.bulk.conflict)
})

test('a broken rule comes in the words of the server; so does a refusal that an earlier version stored', () => {
  expect(describeRefusal({ code: 'unprocessable', message: '`neither` is not an option' })).toBe('`neither` is not an option')
  expect(describeRefusal({ message: RAW })).toBe(RAW)
})

test.each([
  { at: ['values', 'a.b', 'value', 0], name: 'a.b' },
  { at: ['values', 'mood'], name: 'mood' },
  { at: ['values'], name: null },
  { at: [], name: null },
  { at: ['status', 'mood'], name: null },
])('$at is about $name', ({ at, name }) => {
  expect(refusedQuestion({ at })).toBe(name)
})

test('a refusal without a place is about the whole answer', () => {
  expect(refusedQuestion({})).toBeNull()
})
