import * as api from '@postil/domain/api/oauth2'
import { DomainError } from '@postil/domain/errors'
import type { OpenContext } from '../../context.ts'
import { checkOwnPage } from '../../http/authenticate.ts'
import { type Served, serveOpen } from '../../http/serve.ts'
import { withSession } from '../../http/session-cookie.ts'
import { endSignInCookie } from '../../http/sign-in-cookie.ts'
import { signToken } from '../../http/token.ts'
import { OnWriter, WithHeaders } from '../../lib/answer.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { openSession } from '../sessions/open.ts'
import type { UserRow } from '../users/store.ts'
import { beginSignIn } from './begin.ts'
import { type FinishedAttempt, finishSignIn, type Returned } from './finish.ts'
import { signInWithIdentity } from './sign-in.ts'
import * as writes from './writes.ts'

export const oauth2Routes: Served[] = [
  serveOpen(api.listOAuthProviders, async ({ providers }) => ({
    items: providers.all.map(({ name, ownTitle }) => ({ name, ...(ownTitle !== null && { title: ownTitle }) })),
  })),
  serveOpen(api.beginOAuthSignIn, (ctx, { params, query }) => beginSignIn(ctx, params.provider, query.to)),
  serveOpen(api.createOAuthToken, async (ctx, { params, query }) => {
    return new OnWriter(writes.signProviderToken, await finish(ctx, params.provider, query))
  }),
  serveOpen(writes.signProviderToken, async (ctx, { body }) => {
    const user = await signInWithIdentity(ctx, body)
    await noteToken(ctx, user, body.identity.provider)
    const headers = { 'set-cookie': endSignInCookie(body.cookie_name) }
    return new WithHeaders(headers, { access_token: await signToken(ctx, user), token_type: 'bearer' })
  }),
  serveOpen(api.createOAuthSession, async (ctx, { params, body }) => {
    checkOwnPage(ctx.sender)
    return new OnWriter(writes.openProviderSession, await finish(ctx, params.provider, body))
  }),
  serveOpen(writes.openProviderSession, (ctx, { body }) => openProviderSession(ctx, body)),
]

async function finish(ctx: OpenContext, provider: string, returned: Returned): Promise<FinishedAttempt> {
  try {
    return await finishSignIn(ctx, provider, returned)
  } catch (error) {
    const attempt = { action: 'user.sign_in_failed', user: null, isProven: false, sender: ctx.sender } as const
    if (error instanceof DomainError && error.code !== 'not_found')
      ctx.signIns.add({ ...attempt, why: { reason: 'provider_refused' } })
    throw error
  }
}

const noteToken = (ctx: OpenContext, user: UserRow, provider: string): Promise<void> =>
  write(ctx, tx => {
    const details = { method: 'token', provider }
    return audit(tx, { ...ctx, actor: user }, { action: 'user.signed_in', target: asTarget(user), details })
  })

async function openProviderSession(ctx: OpenContext, finished: writes.FinishedSignIn): Promise<WithHeaders> {
  const { id, credentials_version } = await signInWithIdentity(ctx, finished)
  const { provider } = finished.identity
  const { user, secret } = await openSession(ctx, { user_id: id, credentials_version, provider })
  const answer = withSession(ctx, secret, { id, credentials_version }, { user, return_to: finished.return_to })
  const cookies = [answer.headers['set-cookie'] ?? [], endSignInCookie(finished.cookie_name)].flat()
  return new WithHeaders({ ...answer.headers, 'set-cookie': cookies }, answer.value)
}
