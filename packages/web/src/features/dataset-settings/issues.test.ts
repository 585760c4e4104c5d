import { expect, test } from 'vitest'
import { lengthIssue, minSubmittedIssue, requiredIssue, TITLE_MAX } from './issues.ts'

test.each([
  { text: 'Topic', issue: null },
  { text: '', issue: { key: 'datasetSettings.needed' } },
  { text: ' \n ', issue: { key: 'datasetSettings.needed' } },
  { text: 'x'.repeat(500), issue: null },
  // Counted in code points, as on the server, although an emoji has two UTF-16 code units.
  { text: '🙂'.repeat(500), issue: null },
  { text: ` ${'x'.repeat(500)} `, issue: null },
  { text: 'x'.repeat(503), issue: { key: 'datasetSettings.too_long', values: { max: 500, over: 3 } } },
])('title %#', ({ text, issue }) => {
  expect(requiredIssue(text, TITLE_MAX)).toEqual(issue)
})

test('a text that may be empty', () => {
  expect(lengthIssue('', 5)).toBeNull()
  expect(lengthIssue('123456', 5)?.values).toEqual({ max: 5, over: 1 })
})

test.each([
  { text: '1', ok: true },
  { text: '12', ok: true },
  { text: '0', ok: false },
  { text: '-1', ok: false },
  { text: '1.5', ok: false },
  { text: '', ok: false },
  { text: ' ', ok: false },
  { text: 'two', ok: false },
  { text: '1e30', ok: false },
])('at least $text answers -> $ok', ({ text, ok }) => {
  expect(minSubmittedIssue(text) === null).toBe(ok)
})
