import { DomainError, invalid } from '@postil/domain/errors'
import type { OpenContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { findSignInCookie, toCookieName } from '../../lib/sign-in-cookie.ts'
import type { ProviderConfig } from '../../oauth-config.ts'
import type { Attempt as SignInAttempt } from '../audit-log/sign-in-log.ts'
import { checkIsActive, findUser } from '../users/store.ts'
import { type Attempt, decryptAttempt, toAttemptId } from './attempt.ts'
import { loadProvider } from './begin.ts'
import { refusedError, toProviderError, toRefusal } from './errors.ts'
import { type Identity, toIdentity } from './identity.ts'
import { findIdentityUserId } from './store.ts'
import * as writes from './writes.ts'

/** Query parameters that the provider added to the callback URL, passed on by the browser. */
interface CallbackParams {
  code?: string
  state?: string
  iss?: string
  error?: string
  error_description?: string
}

/** Reads the user's identity from the provider. The writer then finds or creates the user and signs a token. */
export const finishWithToken = async (ctx: OpenContext, name: string, returned: CallbackParams) =>
  new OnWriter(writes.signProviderToken, await finishSignIn(ctx, name, returned))

/** Same as `finishWithToken`, but the writer opens a session. */
export const finishWithSession = async (ctx: OpenContext, name: string, returned: CallbackParams) =>
  new OnWriter(writes.openProviderSession, await finishSignIn(ctx, name, returned))

function finishSignIn(ctx: OpenContext, name: string, returned: CallbackParams): Promise<writes.FinishedSignIn> {
  const provider = loadProvider(ctx, name)
  return withFailureLog(ctx, provider, () =>
    ctx.providers.limited(ctx.sender.address, async () => {
      const { attempt, cookieName } = takeAttempt(ctx, provider, returned)
      if (returned.error !== undefined) throw toRefusal(provider, returned.error, returned.error_description)
      const identity = await readIdentity(ctx, provider, attempt, returned)
      await checkUser(ctx, identity)
      return { identity, state_hash: hashSecret(attempt.state), return_to: attempt.returnTo, cookie_name: cookieName }
    }),
  )
}

/** Rejects deactivated users here, so that the failure is noted in the audit log. The writer checks again. */
async function checkUser(ctx: OpenContext, identity: Identity): Promise<void> {
  const userId = await findIdentityUserId(ctx.db, identity)
  const user = userId === null ? null : await findUser(ctx.db, userId)
  if (user === null || user.deactivated_at === null) return
  logFailure(ctx, user, { reason: 'deactivated', provider: identity.provider })
  checkIsActive(user)
}

async function withFailureLog<T>(ctx: OpenContext, { name }: ProviderConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof DomainError ? error.code : null
    if (code === 'too_many_attempts') logFailure(ctx, null, { reason: code, provider: name })
    // The parameters from the provider or the browser were not accepted.
    if (code === 'provider_refused' || code === 'unprocessable')
      logFailure(ctx, null, { reason: 'provider_refused', provider: name })
    throw error
  }
}

function logFailure({ signIns, sender }: OpenContext, user: SignInAttempt['user'], why: SignInAttempt['why']): void {
  signIns.add({ action: 'user.sign_in_failed', why, user, isProven: false, sender })
}

/** Takes this browser's attempt for the state. It can be taken only once, regardless of the result. */
function takeAttempt(ctx: OpenContext, provider: ProviderConfig, { code, state, error }: CallbackParams) {
  if (!code && error === undefined) throw invalid('`code` is missing', ['code'])
  if (!state) throw invalid('`state` is missing', ['state'])
  const id = toAttemptId(state)
  for (const cookieName of [toCookieName(id, true), toCookieName(id, false)]) {
    const sealed = findSignInCookie(ctx.sender.signIns, cookieName)
    const attempt = sealed === null ? null : decryptAttempt(ctx.secrets, sealed)
    if (attempt === null || attempt.state !== state || attempt.provider !== provider.name) continue
    // Over http, a neighbouring site could have set the cookie.
    if (attempt.redirectUri.startsWith('https:') !== cookieName.startsWith('__Host-')) continue
    if (!ctx.providers.useState(state)) throw refusedError('This sign-in was used already. Begin again.')
    return { attempt, cookieName }
  }
  throw invalid(
    `\`state\` belongs to no sign-in with ${provider.title} that this browser has begun in the last minutes. Begin again.`,
    ['state'],
  )
}

async function readIdentity(ctx: OpenContext, provider: ProviderConfig, attempt: Attempt, { code = '', iss }: CallbackParams) {
  try {
    const connection = await ctx.providers.connect(provider)
    return toIdentity(provider, await connection.readClaims(attempt, { code, state: attempt.state, iss }))
  } catch (error) {
    throw toProviderError(ctx, provider, error)
  }
}
