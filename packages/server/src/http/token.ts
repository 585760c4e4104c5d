/**
 * Bearer tokens. Each is signed with a key of its user and of the user's `credentials_version`, so that it ends with a change
 * of password or role, with a deactivation, and with the user. Its claims are exactly those existing clients know.
 */
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import type { Context } from '../context.ts'
import { findCredentialsVersion, type UserRow } from '../features/users/store.ts'
import { tokenKey } from '../lib/secrets.ts'

/** The names in a token have up to 200 characters each; no header is longer than 16 KiB anyway. */
const TOKEN_LENGTH_MAX = 8_192
/** Nobody has a longer id, and a key is derived from it before anything is verified. */
const ID_LENGTH_MAX = 36

type TokenContext = Pick<Context, 'config' | 'secrets'>
type TokenUser = Pick<UserRow, 'id' | 'first_name' | 'username' | 'role' | 'credentials_version'>

export function signToken(ctx: TokenContext, user: TokenUser): Promise<string> {
  return new SignJWT({ identity: user.id, name: user.first_name, username: user.username, role: user.role })
    .setProtectedHeader({ alg: ctx.config.authAlgorithm, typ: 'JWT' })
    .setExpirationTime(Math.floor(Date.now() / 1000) + ctx.config.authTokenSeconds)
    .sign(tokenKey(ctx.secrets, user))
}

/** The id of the user a token speaks for, or null when it is malformed, wrongly signed, expired or ended. */
export async function verifyToken(ctx: TokenContext & Pick<Context, 'db'>, token: string): Promise<string | null> {
  if (token.length > TOKEN_LENGTH_MAX) return null
  try {
    const { identity } = decodeJwt<{ identity?: unknown }>(token)
    if (typeof identity !== 'string' || identity.length > ID_LENGTH_MAX) return null
    const version = await findCredentialsVersion(ctx.db, identity)
    // For an unknown user it takes as long: nobody learns who there is.
    const key = tokenKey(ctx.secrets, { id: identity, credentials_version: version ?? 0 })
    await jwtVerify(token, key, { algorithms: [ctx.config.authAlgorithm], requiredClaims: ['exp'] })
    return version === null ? null : identity
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
