import { expect, test } from 'vitest'
import { accepts, isRefused } from '../../testing.ts'
import { custom } from './custom.ts'

test.each([
  { value: {}, ok: true },
  { value: { a: [1, { b: null }] }, ok: true },
  { value: [], ok: false },
  { value: '{}', ok: false },
])('custom field $value -> $ok', ({ value, ok }) => {
  expect(isRefused(() => custom.checkValue(value, 'card'))).toBe(!ok)
})

test('a custom field is found by its keys, texts and numbers', () => {
  expect(custom.toText({ title: 'red shoe', sizes: [41, { width: 'wide' }], sold: true, note: null })).toEqual([
    'title',
    'red shoe',
    'sizes',
    '41',
    'width',
    'wide',
    'sold',
    'note',
  ])
})

test('a custom field needs a template, which may be empty', () => {
  expect(accepts(custom.settingsCreate, { type: 'custom', template: '' })).toBe(true)
  expect(accepts(custom.settingsCreate, { type: 'custom' })).toBe(false)
  expect(accepts(custom.settingsUpdate, { type: 'custom', template: '' })).toBe(false)
  expect(accepts(custom.settingsUpdate, { type: 'custom', template: '', advanced_mode: false })).toBe(true)
})
