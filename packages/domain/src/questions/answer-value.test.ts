import { expect, test } from 'vitest'
import { accepts } from '../testing.ts'
import { AnswerValue } from './answer-value.ts'
import { SpanValue } from './span/span.ts'

test.each([
  { value: 'text', ok: true },
  { value: '', ok: true },
  { value: 3, ok: true },
  { value: ['a', 'b'], ok: true },
  { value: [], ok: true },
  { value: [{ value: 'a', rank: 1 }], ok: true },
  { value: [{ value: 'a', rank: null }], ok: true },
  { value: [{ value: 'a' }], ok: true },
  { value: [{ label: 'a', start: 0, end: 1 }], ok: true },
  { value: [{ label: 'a', start: 0, end: 1, score: 0.5 }], ok: true },
  { value: [{ label: 'a', start: 0, end: 1, score: 'high' }], ok: false },
  { value: [{ label: 'a', start: -1, end: 1 }], ok: false },
  { value: [{ label: 'a', start: 0, end: 0 }], ok: false },
  { value: 3.5, ok: false },
  { value: true, ok: false },
  { value: null, ok: false },
  { value: {}, ok: false },
  { value: [1], ok: false },
])('the value of an answer may be $value -> $ok', ({ value, ok }) => {
  expect(accepts(AnswerValue, value)).toBe(ok)
})

test('an answer has at most ten thousand spans', () => {
  const spans = (count: number) => Array.from({ length: count }, () => ({ label: 'a', start: 0, end: 1 }))
  expect(accepts(SpanValue, spans(10_000))).toBe(true)
  expect(accepts(SpanValue, spans(10_001))).toBe(false)
})

test('a span ends after it starts', () => {
  const check = (SpanValue.items as { 'x-check'?: (span: object) => string | null })['x-check']
  expect(check?.({ label: 'a', start: 3, end: 4 })).toBeNull()
  expect(check?.({ label: 'a', start: 3, end: 3 })).not.toBeNull()
})
