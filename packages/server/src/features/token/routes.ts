import { createToken } from '@postil/domain/api/users'
import { type Served, serveOpen } from '../../http/serve.ts'
import { signToken } from '../../http/token.ts'
import { checkCredentials } from './check-credentials.ts'

export const tokenRoutes: Served[] = [
  serveOpen(createToken, async (ctx, { body }) => {
    const user = await checkCredentials(ctx, body)
    const access_token = await signToken(ctx, user)
    ctx.signIns.add({ action: 'user.signed_in', why: { method: 'token' }, user, isProven: true, sender: ctx.sender })
    return { access_token, token_type: 'bearer' }
  }),
]
