import { expect, test } from 'vitest'
import { Distribution, recordStatus } from './distribution.ts'
import { accepts } from './testing.ts'

test.each([
  { submitted: 0, min_submitted: 1, status: 'pending' },
  { submitted: 1, min_submitted: 1, status: 'completed' },
  { submitted: 1, min_submitted: 2, status: 'pending' },
  { submitted: 3, min_submitted: 2, status: 'completed' },
])('a record with $submitted submitted responses of $min_submitted is $status', ({ submitted, min_submitted, status }) => {
  expect(recordStatus(submitted, { strategy: 'overlap', min_submitted })).toBe(status)
})

test.each([
  { distribution: { strategy: 'overlap', min_submitted: 1 }, ok: true },
  { distribution: { strategy: 'overlap', min_submitted: 0 }, ok: false },
  { distribution: { strategy: 'other', min_submitted: 1 }, ok: false },
  { distribution: { min_submitted: 1 }, ok: false },
  { distribution: { strategy: 'overlap' }, ok: false },
])('distribution $distribution -> $ok', ({ distribution, ok }) => {
  expect(accepts(Distribution, distribution)).toBe(ok)
})
