import { DomainError, forbidden, TooManyAttempts } from '@postil/domain/errors'
import { expect, test } from 'vitest'
import { toRefusal } from './attempt.ts'

const strange = new Error('no network')

test.each([
  { name: 'a wrong pair', error: new DomainError('unauthenticated', 'whatever'), refusal: { kind: 'wrong' } },
  { name: 'too many attempts', error: new TooManyAttempts(42), refusal: { kind: 'wait', seconds: 42 } },
  { name: 'an absurd wait', error: new TooManyAttempts(1e9), refusal: { kind: 'wait', seconds: 3600 } },
])('$name', ({ error, refusal }) => {
  expect(toRefusal(error)).toEqual(refusal)
})

const deactivated = new DomainError('deactivated', 'This account is deactivated.')

test.each([strange, forbidden(), deactivated, new DomainError('too_many_attempts', 'Slow down.')])(
  '%s is told as it is',
  error => {
    expect(toRefusal(error)).toEqual({ kind: 'other', error })
  },
)
