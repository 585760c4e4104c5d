import { createToken } from '@postil/domain/api/users'
import type { OpenContext } from '../../context.ts'
import { type Served, serveOpen } from '../../http/serve.ts'
import { signToken } from '../../http/token.ts'
import { type Credentials, checkCredentials } from './check-credentials.ts'
import { createTokenAnswer, storeHash } from './rehash.ts'
import * as writes from './writes.ts'

/** `status` is the success status of the route. */
export async function createAccessToken(ctx: OpenContext, credentials: Credentials, status: number) {
  const user = await checkCredentials(ctx, credentials)
  const access_token = await signToken(ctx, user)
  ctx.signIns.add({ action: 'user.signed_in', why: { method: 'token' }, user, isProven: true, sender: ctx.sender })
  return createTokenAnswer(ctx, { user, password: credentials.password, access_token, status })
}

export const tokenRoutes: Served[] = [
  serveOpen(createToken, (ctx, { body }) => createAccessToken(ctx, body, createToken.status)),
  serveOpen(writes.storeHash, (ctx, { body }) => storeHash(ctx, body)),
]
