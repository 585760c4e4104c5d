/**
 * Bearer tokens (JWT). Each is signed with a key derived from its user and the user's `credentials_version`, so that a change of
 * password or role, deactivation or deletion of the user invalidates it. The claims are exactly those that existing clients
 * expect.
 */
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import type { Context } from '../context.ts'
import { findCredentialsVersion, type UserRow } from '../features/users/store.ts'
import { tokenKey } from '../lib/secrets.ts'

/** Names in a token have up to 200 characters each; headers are limited to 16 KiB anyway. */
const TOKEN_LENGTH_MAX = 8_192
/** Maximum length of user ids, checked because a key is derived from the id before the token is verified. */
const ID_LENGTH_MAX = 36

type TokenContext = Pick<Context, 'config' | 'secrets'>
type TokenUser = Pick<UserRow, 'id' | 'first_name' | 'username' | 'role' | 'credentials_version'>

export function signToken(ctx: TokenContext, user: TokenUser): Promise<string> {
  return new SignJWT({ identity: user.id, name: user.first_name, username: user.username, role: user.role })
    .setProtectedHeader({ alg: ctx.config.authAlgorithm, typ: 'JWT' })
    .setExpirationTime(Math.floor(Date.now() / 1000) + ctx.config.authTokenSeconds)
    .sign(tokenKey(ctx.secrets, user))
}

/** Returns the user id of a token, or null if it is malformed, wrongly signed, expired or revoked. */
export async function verifyToken(ctx: TokenContext & Pick<Context, 'db'>, token: string): Promise<string | null> {
  if (token.length > TOKEN_LENGTH_MAX) return null
  try {
    const { identity } = decodeJwt<{ identity?: unknown }>(token)
    if (typeof identity !== 'string' || identity.length > ID_LENGTH_MAX) return null
    const version = await findCredentialsVersion(ctx.db, identity)
    // Takes as long for an unknown user, so that the time does not reveal which users exist.
    const key = tokenKey(ctx.secrets, { id: identity, credentials_version: version ?? 0 })
    await jwtVerify(token, key, { algorithms: [ctx.config.authAlgorithm], requiredClaims: ['exp'] })
    return version === null ? null : identity
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
