import * as api from '@postil/domain/api/oauth2'
import { checkSameOrigin } from '../../http/authenticate.ts'
import { type Served, serveOpen } from '../../http/serve.ts'
import { withoutSignIn, withSession } from '../../http/session-cookie.ts'
import { signToken } from '../../http/token.ts'
import { beginSignIn } from './begin.ts'
import { finishWithSession, finishWithToken } from './finish.ts'
import { openProviderSession, signInForToken } from './sign-in.ts'
import * as writes from './writes.ts'

export const oauth2Routes: Served[] = [
  serveOpen(api.listOAuthProviders, async ({ providers }) => ({
    items: providers.all.map(({ name, ownTitle }) => ({ name, ...(ownTitle !== null && { title: ownTitle }) })),
  })),
  serveOpen(api.beginOAuthSignIn, (ctx, { params, query }) => beginSignIn(ctx, params.provider, query.to)),
  serveOpen(api.createOAuthToken, (ctx, { params, query }) => finishWithToken(ctx, params.provider, query)),
  serveOpen(writes.signProviderToken, async (ctx, { body }) => {
    const user = await signInForToken(ctx, body)
    return withoutSignIn(body.cookie_name, { access_token: await signToken(ctx, user), token_type: 'bearer' })
  }),
  serveOpen(api.createOAuthSession, async (ctx, { params, body }) => {
    checkSameOrigin(ctx.sender)
    return finishWithSession(ctx, params.provider, body)
  }),
  serveOpen(writes.openProviderSession, async (ctx, { body }) => {
    const { user, secret, credentials } = await openProviderSession(ctx, body)
    return withoutSignIn(body.cookie_name, withSession(ctx, secret, credentials, { user, return_to: body.return_to }))
  }),
]
