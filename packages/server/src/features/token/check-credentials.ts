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
 * The user these credentials belong to. An unknown name and a wrong password are refused alike, in words and in time; only the right password
 * tells that the account is deactivated. Wrong ones are counted for all routes together: who guesses gains nothing by trying another door.
 */
export async function checkCredentials(ctx: OpenContext, { username, password }: Credentials): Promise<UserRow> {
  const known = await findUserByUsername(ctx.db, username)
  const device = provenDevice(ctx.secrets, ctx.sender.deviceProof, known)
  const { address } = ctx.sender
  const source = device === null ? `address ${address}` : `device ${device}`

  const check = async (isFamiliar: boolean) => {
    // Again, because the attempt may have been held: the password may be another one by now.
    const current = await findUserByUsername(ctx.db, username)
    const fits = await ctx.passwords.fits(current?.password_hash ?? null, password, {
      source,
      isKnown: device !== null || isFamiliar,
    })
    return fits ? current : null
  }
  try {
    const user = await ctx.attempts.run(toKeys(username, address, device), check)
    if (!user) throw new DomainError('unauthenticated', 'Username or password is wrong')
    if (user.deactivated_at !== null) {
      throw new DomainError('deactivated', 'This account is deactivated. Ask an owner of this server to reactivate it.')
    }
    return user
  } catch (error) {
    noteFailure(ctx, known, error)
    throw error
  }
}

/** An unknown name is not noted: people type their password there. */
function noteFailure({ signIns, sender }: OpenContext, user: UserRow | null, error: unknown): void {
  const reason = error instanceof DomainError ? toReason(error, user) : null
  if (reason !== null) signIns.add({ action: 'user.sign_in_failed', why: { reason }, user, isProven: false, sender })
}

function toReason({ code }: DomainError, user: UserRow | null) {
  if (code === 'too_many_attempts' || code === 'deactivated') return code
  if (code !== 'unauthenticated') return null
  return user ? 'wrong_password' : 'unknown_user'
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
