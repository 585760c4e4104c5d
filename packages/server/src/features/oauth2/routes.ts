import * as api from '@postil/domain/api/oauth2'
import type { OpenContext } from '../../context.ts'
import { checkOwnPage } from '../../http/authenticate.ts'
import { type Served, serveOpen } from '../../http/serve.ts'
import { withSession } from '../../http/session-cookie.ts'
import { endSignInCookie } from '../../http/sign-in-cookie.ts'
import { signToken } from '../../http/token.ts'
import { OnWriter, WithHeaders } from '../../lib/answer.ts'
import { openSession } from '../sessions/open.ts'
import { beginSignIn } from './begin.ts'
import { finishSignIn } from './finish.ts'
import { signInWithIdentity } from './sign-in.ts'
import * as writes from './writes.ts'

export const oauth2Routes: Served[] = [
  serveOpen(api.listOAuthProviders, async ({ providers }) => ({
    items: providers.all.map(({ name, title }) => ({ name, title })),
  })),
  serveOpen(api.beginOAuthSignIn, (ctx, { params, query }) => beginSignIn(ctx, params.provider, query.to)),
  serveOpen(api.createOAuthToken, async (ctx, { params, query }) => {
    return new OnWriter(writes.signProviderToken, await finishSignIn(ctx, params.provider, query))
  }),
  serveOpen(writes.signProviderToken, async (ctx, { body }) => {
    const user = await signInWithIdentity(ctx, body, 'token')
    const headers = { 'set-cookie': endSignInCookie(body.cookie_name) }
    return new WithHeaders(headers, { access_token: await signToken(ctx, user), token_type: 'bearer' })
  }),
  serveOpen(api.createOAuthSession, async (ctx, { params, body }) => {
    checkOwnPage(ctx.sender)
    return new OnWriter(writes.openProviderSession, await finishSignIn(ctx, params.provider, body))
  }),
  serveOpen(writes.openProviderSession, (ctx, { body }) => openProviderSession(ctx, body)),
]

async function openProviderSession(ctx: OpenContext, finished: writes.FinishedSignIn): Promise<WithHeaders> {
  const { id, credentials_version } = await signInWithIdentity(ctx, finished)
  const { user, secret } = await openSession(ctx, { user_id: id, credentials_version, provider: finished.identity.provider })
  const answer = withSession(ctx, secret, { id, credentials_version }, { user, return_to: finished.return_to })
  const cookies = [answer.headers['set-cookie'] ?? [], endSignInCookie(finished.cookie_name)].flat()
  return new WithHeaders({ ...answer.headers, 'set-cookie': cookies }, answer.value)
}
