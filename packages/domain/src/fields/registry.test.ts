import { expect, test } from 'vitest'
import { checkFieldTypeUnchanged } from '../fields.ts'
import { accepts, isRefused } from '../testing.ts'
import { FIELD_TYPES, FieldSettings, FieldValues, FieldValuesUpdate, fieldTypeOf } from './registry.ts'

test('every field type is found by the type of its settings', () => {
  for (const type of FIELD_TYPES) expect(fieldTypeOf({ type: type.name })).toBe(type)
  expect(() => fieldTypeOf({ type: '__proto__' })).toThrow()
})

test.each([
  { value: 'text', ok: true },
  { value: [{ role: 'user', content: 'hi', extra: 1 }], ok: true },
  { value: {}, ok: true },
  { value: null, ok: true },
  { value: 3, ok: false },
  { value: true, ok: false },
  { value: ['text'], ok: false },
  { value: [{ role: 'user' }], ok: false },
])('the value of a field may be $value -> $ok', ({ value, ok }) => {
  expect(accepts(FieldValues, { any: value })).toBe(ok)
  expect(accepts(FieldValuesUpdate, { any: value })).toBe(ok)
})

test('a field whose values are wrong messages is named', () => {
  const check = (FieldValues as { 'x-check'?: (fields: object) => string | null })['x-check']
  expect(check?.({ talk: [3] })).toContain('`talk`')
  expect(check?.({ ['__proto__']: [3] })).toContain('`__proto__`')
})

test('stored settings of every type fit the union', () => {
  expect(accepts(FieldSettings, { type: 'text', use_markdown: false })).toBe(true)
  expect(accepts(FieldSettings, { type: 'image' })).toBe(true)
  expect(accepts(FieldSettings, { type: 'chat', use_markdown: true })).toBe(true)
  expect(accepts(FieldSettings, { type: 'custom', template: '', advanced_mode: false })).toBe(true)
  expect(accepts(FieldSettings, { type: 'audio' })).toBe(false)
})

test('a field keeps its type', () => {
  expect(isRefused(() => checkFieldTypeUnchanged({ type: 'text' }, { type: 'text' }))).toBe(false)
  expect(isRefused(() => checkFieldTypeUnchanged({ type: 'text' }, { type: 'image' }))).toBe(true)
})
