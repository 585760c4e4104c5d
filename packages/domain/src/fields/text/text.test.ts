import { expect, test } from 'vitest'
import { accepts, isRefused } from '../../testing.ts'
import { text } from './text.ts'

test.each([
  { value: 'hello', ok: true },
  { value: '', ok: true },
  { value: [{ role: 'user', content: 'hi' }], ok: false },
  { value: {}, ok: false },
])('text field $value -> $ok', ({ value, ok }) => {
  expect(isRefused(() => text.checkValue(value, 'prompt'))).toBe(!ok)
})

test('a text field counts characters as code points', () => {
  expect(text.spanLength('👍👍')).toBe(2)
})

test('a patch of a text field has complete settings', () => {
  expect(accepts(text.settingsCreate, { type: 'text' })).toBe(true)
  expect(accepts(text.settingsUpdate, { type: 'text' })).toBe(false)
  expect(accepts(text.settingsUpdate, { type: 'text', use_markdown: true })).toBe(true)
})
