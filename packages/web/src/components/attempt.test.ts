import { DomainError, forbidden, TooManyAttempts } from '@postil/domain/errors'
import { afterEach, expect, test, vi } from 'vitest'
import { signIn as german } from '../i18n/de/sign-in.ts'
import { signIn as english } from '../i18n/en/sign-in.ts'
import { language, setLanguage } from '../i18n/i18n.ts'
import { describeRefusal, toRefusal } from './attempt.ts'

afterEach(async () => {
  if (language.value !== 'en') await setLanguage('en')
  vi.unstubAllGlobals()
})

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

test('the same refusal is told in the language of the moment', async () => {
  const waited = { kind: 'wait', seconds: 42 } as const
  const told = () => [describeRefusal({ kind: 'wrong' }, false), describeRefusal(waited, true), describeRefusal(waited, false)]
  expect(told()).toEqual([english.wrong, 'Too many attempts. Try again in 42 seconds.', english.too_many_now])
  vi.stubGlobal('document', { documentElement: {} })
  await setLanguage('de')
  expect(told()).toEqual([german.wrong, expect.stringContaining('42'), german.too_many_now])
})
