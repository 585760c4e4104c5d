import { DomainError, invalid } from '@postil/domain/errors'
import type { OpenContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { findSignInCookie, toCookieName } from '../../lib/sign-in-cookie.ts'
import type { ProviderConfig } from '../../oauth-config.ts'
import type { Attempt as SignInAttempt } from '../audit-log/sign-in-log.ts'
import { checkIsActive, findUser } from '../users/store.ts'
import { type Attempt, openAttempt, toAttemptId } from './attempt.ts'
import { loadProvider } from './begin.ts'
import { refused, toProviderError, toRefusal } from './errors.ts'
import { type Identity, toIdentity } from './identity.ts'
import { findIdentityUserId } from './store.ts'
import * as writes from './writes.ts'

/** What the provider added to the callback address, as the browser passes it on. */
interface Returned {
  code?: string
  state?: string
  iss?: string
  error?: string
  error_description?: string
}

/** Asks the provider who somebody is. The writer then finds or makes their user, and signs a token. */
export const finishWithToken = async (ctx: OpenContext, name: string, returned: Returned) =>
  new OnWriter(writes.signProviderToken, await finishSignIn(ctx, name, returned))

/** The same, and the writer begins a session. */
export const finishWithSession = async (ctx: OpenContext, name: string, returned: Returned) =>
  new OnWriter(writes.openProviderSession, await finishSignIn(ctx, name, returned))

function finishSignIn(ctx: OpenContext, name: string, returned: Returned): Promise<writes.FinishedSignIn> {
  const provider = loadProvider(ctx, name)
  return notingFailure(ctx, provider, () =>
    ctx.providers.limited(ctx.sender.address, async () => {
      const { attempt, cookieName } = takeAttempt(ctx, provider, returned)
      if (returned.error !== undefined) throw toRefusal(provider, returned.error, returned.error_description)
      const identity = await readIdentity(ctx, provider, attempt, returned)
      await checkUser(ctx, identity)
      return { identity, state_hash: hashSecret(attempt.state), return_to: attempt.returnTo, cookie_name: cookieName }
    }),
  )
}

/** The writer checks it again; what is refused here can be noted in the audit log. */
async function checkUser(ctx: OpenContext, identity: Identity): Promise<void> {
  const userId = await findIdentityUserId(ctx.db, identity)
  const user = userId === null ? null : await findUser(ctx.db, userId)
  if (user === null || user.deactivated_at === null) return
  note(ctx, user, { reason: 'deactivated', provider: identity.provider })
  checkIsActive(user)
}

async function notingFailure<T>(ctx: OpenContext, { name }: ProviderConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof DomainError ? error.code : null
    if (code === 'too_many_attempts') note(ctx, null, { reason: code, provider: name })
    // What the provider or the browser brought back was not accepted.
    if (code === 'provider_refused' || code === 'unprocessable') note(ctx, null, { reason: 'provider_refused', provider: name })
    throw error
  }
}

function note({ signIns, sender }: OpenContext, user: SignInAttempt['user'], why: SignInAttempt['why']): void {
  signIns.add({ action: 'user.sign_in_failed', why, user, isProven: false, sender })
}

/** The attempt of this browser that the state names. It can be taken once, whatever comes of it. */
function takeAttempt(ctx: OpenContext, provider: ProviderConfig, { code, state, error }: Returned) {
  if (!code && error === undefined) throw invalid('`code` is missing', ['code'])
  if (!state) throw invalid('`state` is missing', ['state'])
  const id = toAttemptId(state)
  for (const cookieName of [toCookieName(id, true), toCookieName(id, false)]) {
    const sealed = findSignInCookie(ctx.sender.signIns, cookieName)
    const attempt = sealed === null ? null : openAttempt(ctx.secrets, sealed)
    if (attempt === null || attempt.state !== state || attempt.provider !== provider.name) continue
    // Over http a neighbour could have set the cookie.
    if (attempt.redirectUri.startsWith('https:') !== cookieName.startsWith('__Host-')) continue
    if (!ctx.providers.useState(state)) throw refused('This sign-in was used already. Begin again.')
    return { attempt, cookieName }
  }
  throw invalid(
    `\`state\` belongs to no sign-in with ${provider.title} that this browser has begun in the last minutes. Begin again.`,
    ['state'],
  )
}

async function readIdentity(ctx: OpenContext, provider: ProviderConfig, attempt: Attempt, { code = '', iss }: Returned) {
  try {
    const connection = await ctx.providers.connect(provider)
    return toIdentity(provider, await connection.readClaims(attempt, { code, state: attempt.state, iss }))
  } catch (error) {
    throw toProviderError(ctx, provider, error)
  }
}
