import { DomainError } from '@postil/domain/errors'
import type { OpenContext } from '../../context.ts'
import type { AttemptKey } from '../../lib/attempts.ts'
import { provenDevice } from '../../lib/secrets.ts'
import { findUserByUsername, type UserRow } from '../users/store.ts'

export interface Credentials {
  username: string
  password: string
}

/**
 * The user these credentials belong to. An unknown name and a wrong password are refused alike, in words and in time. Wrong ones
 * are counted for all routes together: who guesses gains nothing by trying another door.
 */
export async function checkCredentials(ctx: OpenContext, { username, password }: Credentials): Promise<UserRow> {
  const known = await findUserByUsername(ctx.db, username)
  const device = provenDevice(ctx.secrets, ctx.sender.deviceProof, known)
  const { address } = ctx.sender
  const by = device === null ? { source: `address ${address}`, isKnown: false } : { source: `device ${device}`, isKnown: true }

  const check = async () => {
    // Again, because the attempt may have been held: the password may be another one by now.
    const current = await findUserByUsername(ctx.db, username)
    const fits = await ctx.passwords.fits(current?.password_hash ?? null, password, by)
    return fits ? current : null
  }
  try {
    const user = await ctx.attempts.run(toKeys(username, address, device), check)
    if (!user) throw new DomainError('unauthenticated', 'Username or password is wrong')
    return user
  } catch (error) {
    noteFailure(ctx, known, error)
    throw error
  }
}

/** An unknown name is not noted: people type their password there. */
function noteFailure({ signIns, sender }: OpenContext, user: UserRow | null, error: unknown): void {
  if (!(error instanceof DomainError) || !['unauthenticated', 'too_many_attempts'].includes(error.code)) return
  const wrong = user ? 'wrong_password' : 'unknown_user'
  const reason = error.code === 'too_many_attempts' ? 'too_many_attempts' : wrong
  signIns.add({ action: 'user.sign_in_failed', why: { reason }, user, isProven: false, sender })
}

/** Wrong attempts of a browser that has signed in as this user are counted apart: an attack never slows it down. */
function toKeys(username: string, address: string, device: string | null): AttemptKey[] {
  if (device !== null) return [{ limit: 'known', value: `device ${device}` }]
  return [
    { limit: 'account_and_address', value: `${address} ${username}` },
    { limit: 'account', value: username },
    { limit: 'address', value: address },
  ]
}
