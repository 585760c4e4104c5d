import * as api from '@postil/domain/api/session'
import { checkSameOrigin } from '../../http/authenticate.ts'
import { type Served, serve, serveOpen } from '../../http/serve.ts'
import { withoutSession, withSession } from '../../http/session-cookie.ts'
import { endSession, signOut } from './end.ts'
import { keepSession } from './keep.ts'
import { listSessions } from './list.ts'
import { openSession } from './open.ts'
import { signIn } from './sign-in.ts'
import * as writes from './writes.ts'

export const sessionRoutes: Served[] = [
  serveOpen(api.createSession, async (ctx, { body }) => {
    checkSameOrigin(ctx.sender)
    return signIn(ctx, body)
  }),
  serveOpen(writes.openSession, async (ctx, { body }) => {
    const { user, secret } = await openSession(ctx, body)
    return withSession(ctx, secret, { id: user.id, credentials_version: body.credentials_version }, user)
  }),
  serveOpen(writes.keepSession, async (ctx, { body }) => void (await keepSession(ctx, body.session_id))),
  serveOpen(api.deleteSession, async ctx => {
    checkSameOrigin(ctx.sender)
    await signOut(ctx)
    return withoutSession(ctx)
  }),
  serve(api.listMySessions, ctx => listSessions(ctx)),
  serve(api.deleteMySession, async (ctx, { params }) => void (await endSession(ctx, params.session_id))),
]
