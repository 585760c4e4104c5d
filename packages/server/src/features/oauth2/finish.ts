import { DomainError, invalid } from '@postil/domain/errors'
import type { OpenContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { findSignInCookie, toCookieName } from '../../lib/sign-in-cookie.ts'
import type { ProviderConfig } from '../../oauth-config.ts'
import type { FailureReason } from '../audit-log/sign-in-log.ts'
import { checkIsActive, findUser, type UserRow } from '../users/store.ts'
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
  new OnWriter(writes.signProviderToken, await finishNoted(ctx, name, returned))

/** The same, and the writer begins a session. */
export const finishWithSession = async (ctx: OpenContext, name: string, returned: Returned) =>
  new OnWriter(writes.openProviderSession, await finishNoted(ctx, name, returned))

async function finishNoted(ctx: OpenContext, name: string, returned: Returned): Promise<writes.FinishedSignIn> {
  try {
    return await finishSignIn(ctx, name, returned)
  } catch (error) {
    if (error instanceof DomainError && !['not_found', 'deactivated'].includes(error.code)) {
      const reason = error.code === 'too_many_attempts' ? error.code : 'provider_refused'
      note(ctx, null, { reason, provider: name })
    }
    throw error
  }
}

const note = ({ signIns, sender }: OpenContext, user: UserRow | null, why: { reason: FailureReason; provider: string }) =>
  signIns.add({ action: 'user.sign_in_failed', user, isProven: false, sender, why })

/** The writer checks it again. Here it can be noted: what is refused there leaves nothing. */
async function checkUser(ctx: OpenContext, identity: Identity): Promise<void> {
  const userId = await findIdentityUserId(ctx.db, identity)
  const user = userId === null ? null : await findUser(ctx.db, userId)
  if (user === null || user.deactivated_at === null) return
  note(ctx, user, { reason: 'deactivated', provider: identity.provider })
  checkIsActive(user)
}

function finishSignIn(ctx: OpenContext, name: string, returned: Returned): Promise<writes.FinishedSignIn> {
  const provider = loadProvider(ctx, name)
  return ctx.providers.limited(ctx.sender.address, async () => {
    const { attempt, cookieName } = takeAttempt(ctx, provider, returned)
    if (returned.error !== undefined) throw toRefusal(provider, returned.error, returned.error_description)
    const identity = await readIdentity(ctx, provider, attempt, returned)
    await checkUser(ctx, identity)
    return { identity, state_hash: hashSecret(attempt.state), return_to: attempt.returnTo, cookie_name: cookieName }
  })
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
