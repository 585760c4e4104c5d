import * as api from '@postil/domain/api/invitations'
import { checkSameOrigin } from '../../http/authenticate.ts'
import { type Served, serve, serveOpen } from '../../http/serve.ts'
import { withSession } from '../../http/session-cookie.ts'
import { acceptInvitation, acceptWithHash, lookUpInvitation } from './accept.ts'
import { createInvitation } from './create.ts'
import { listInvitations } from './list.ts'
import { revokeInvitation } from './revoke.ts'
import * as writes from './writes.ts'

export const invitationRoutes: Served[] = [
  serve(api.createInvitation, (ctx, { body }) => createInvitation(ctx, body)),
  serve(api.listInvitations, (ctx, { query }) => listInvitations(ctx, query)),
  serve(api.revokeInvitation, (ctx, { params }) => revokeInvitation(ctx, params.invitation_id)),
  serveOpen(api.lookUpInvitation, (ctx, { body }) => lookUpInvitation(ctx, body.token)),
  serveOpen(api.acceptInvitation, async (ctx, { body }) => {
    checkSameOrigin(ctx.sender)
    return acceptInvitation(ctx, body)
  }),
  serveOpen(writes.acceptInvitation, async (ctx, { body }) => {
    const { user, secret, credentials } = await acceptWithHash(ctx, body)
    return withSession(ctx, secret, credentials, user)
  }),
]
