import { createToken } from '@postil/domain/api/users'
import { type Served, serveOpen } from '../../http/serve.ts'
import { signToken } from '../../http/token.ts'
import { checkCredentials } from './check-credentials.ts'

export const tokenRoutes: Served[] = [
  serveOpen(createToken, async (ctx, { body }) => ({
    access_token: await signToken(ctx, await checkCredentials(ctx, body)),
    token_type: 'bearer',
  })),
]
