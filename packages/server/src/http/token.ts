import type { User } from '@postil/domain/users'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Context } from '../context.ts'

type TokenContext = Pick<Context, 'config' | 'secrets'>

/** A signed token with exactly the claims existing clients know. */
export function signToken(ctx: TokenContext, user: Pick<User, 'id' | 'first_name' | 'username' | 'role'>): Promise<string> {
  return new SignJWT({ identity: user.id, name: user.first_name, username: user.username, role: user.role })
    .setProtectedHeader({ alg: ctx.config.authAlgorithm, typ: 'JWT' })
    .setExpirationTime(Math.floor(Date.now() / 1000) + ctx.config.authTokenSeconds)
    .sign(ctx.secrets.signing)
}

/** The username a token speaks for, or null when it is malformed, wrongly signed or expired. */
export async function verifyToken(ctx: TokenContext, token: string): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, ctx.secrets.signing, {
      algorithms: [ctx.config.authAlgorithm],
      requiredClaims: ['exp'],
    })
    return typeof payload.username === 'string' ? payload.username : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
