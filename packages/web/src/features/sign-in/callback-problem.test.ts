import { DomainError, invalid, ShapeError } from '@postil/domain/errors'
import { expect, test } from 'vitest'
import { signIn } from '../../i18n/en/sign-in.ts'
import { toReason } from './callback-problem.ts'

test.each([
  { error: invalid('`state` is missing', ['state']), reason: signIn.expired },
  { error: invalid('`code` is missing', ['code']), reason: signIn.expired },
  { error: new ShapeError([]), reason: signIn.expired },
  { error: new DomainError('not_found', 'OAuth provider with name `x` not found'), reason: signIn.no_provider },
  { error: new DomainError('provider_refused', 'GitHub did not sign you in: no'), reason: 'GitHub did not sign you in: no' },
  { error: invalid('GitHub cannot be reached'), reason: 'GitHub cannot be reached' },
])('$error.message: $reason', ({ error, reason }) => expect(toReason(error)).toBe(reason))
