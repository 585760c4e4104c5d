import { DomainError } from '@postil/domain/errors'
import type { OpenContext } from '../../context.ts'
import type { AttemptKey } from '../../lib/attempts.ts'
import { isBcryptHash } from '../../lib/password.ts'
import { verifyDeviceProof } from '../../lib/secrets.ts'
import { checkIsActive, findUserByUsername, type UserRow } from '../users/store.ts'

export interface Credentials {
  username: string
  password: string
}

/**
 * Returns the user of these credentials. Unknown names and wrong passwords are rejected with the same message and timing; a
 * deactivated account is only reported after the correct password. Failed attempts count for all sign-in routes together, so that
 * switching between routes does not help an attacker.
 */
export async function checkCredentials(ctx: OpenContext, { username, password }: Credentials): Promise<UserRow> {
  const known = await findUserByUsername(ctx.db, username)
  // Other spellings of the same name must not give more attempts.
  const account = known?.username ?? username.normalize('NFC')
  const device = verifyDeviceProof(ctx.secrets, ctx.sender.deviceProof, known)
  const { address } = ctx.sender
  const source = device === null ? `address ${address}` : `device ${device}`

  const check = async (isFamiliar: boolean) => {
    // Loaded again, because the attempt may have been delayed and the password changed since.
    const current = await findUserByUsername(ctx.db, username)
    const fits = await ctx.passwords.fits(current?.password_hash ?? null, password, {
      source,
      isKnown: device !== null || isFamiliar,
    })
    return fits ? current : null
  }
  try {
    const user = await ctx.attempts.run(toKeys(account, address, device), check)
    if (!user) throw new DomainError('unauthenticated', 'Username or password is wrong')
    checkIsActive(user)
    return user
  } catch (error) {
    noteFailure(ctx, known, error)
    throw error
  }
}

/** Unknown names are not logged, because users sometimes type their password there. */
function noteFailure({ signIns, sender }: OpenContext, user: UserRow | null, error: unknown): void {
  const reason = error instanceof DomainError ? toReason(error, user) : null
  if (reason !== null) signIns.add({ action: 'user.sign_in_failed', why: { reason }, user, isProven: false, sender })
}

function toReason({ code }: DomainError, user: UserRow | null) {
  if (code === 'too_many_attempts' || code === 'deactivated') return code
  if (code !== 'unauthenticated') return null
  return user ? 'wrong_password' : 'unknown_user'
}

/**
 * Attempts from a browser that has signed in as this user before are counted separately, so that an attack does not slow it down.
 */
function toKeys(username: string, address: string, device: string | null): AttemptKey[] {
  if (device !== null) return [{ limit: 'known', value: `device ${device}` }]
  return [
    { limit: 'account_and_address', value: `${address} ${username}` },
    { limit: 'account', value: username },
    { limit: 'address', value: address },
  ]
}

/**
 * Returns a hash in our format for a user imported from another server, or null if there is nothing to do. The hasher thread
 * computes it. If that thread is overloaded, the next sign-in does it.
 */
export async function rehashPassword(
  { passwords }: Pick<OpenContext, 'passwords'>,
  user: Pick<UserRow, 'id' | 'password_hash'>,
  password: string,
): Promise<string | null> {
  if (!isBcryptHash(user.password_hash)) return null
  try {
    return await passwords.hash(password, { source: `user ${user.id}`, isKnown: true })
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}
