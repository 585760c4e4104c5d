import { expect, test } from 'vitest'
import { invalid } from './errors.ts'
import { toItemError, withoutPath } from './item-error.ts'

test('a path with dots and colons in a name is reported unchanged and removed from the text', () => {
  const error = invalid('at once: wrong', ['values', 'a.b: c', 'value'])
  const { code, at } = toItemError(error)
  expect({ code, at }).toEqual({ code: 'unprocessable', at: ['values', 'a.b: c', 'value'] })
  expect(withoutPath(error.explanation, at)).toBe('at once: wrong')
})

test('a text without a place stays whole', () => {
  expect(withoutPath('at once: wrong', [])).toBe('at once: wrong')
  expect(withoutPath('wrong', ['values'])).toBe('wrong')
})
