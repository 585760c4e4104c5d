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
 * The user these credentials belong to. Only the right password tells that the account is deactivated. An unknown name and a wrong password are refused alike, in words and in time. Wrong ones
 * are counted for all routes together: who guesses gains nothing by trying another door.
 */
export async function checkCredentials(ctx: OpenContext, { username, password }: Credentials): Promise<UserRow> {
  const known = await findUserByUsername(ctx.db, username)
  const device = provenDevice(ctx.secrets, ctx.sender.deviceProof, known)
  const { address } = ctx.sender
  const source = device === null ? `address ${address}` : `device ${device}`

  const user = await ctx.attempts.run(toKeys(username, address, device), async isFamiliar => {
    // Again, because the attempt may have been held: the password may be another one by now.
    const current = await findUserByUsername(ctx.db, username)
    const fits = await ctx.passwords.fits(current?.password_hash ?? null, password, {
      source,
      isKnown: device !== null || isFamiliar,
    })
    return fits ? current : null
  })
  if (!user) throw new DomainError('unauthenticated', 'Username or password is wrong')
  if (user.deactivated_at !== null) {
    throw new DomainError('deactivated', 'This account is deactivated. Ask an owner of this server to reactivate it.')
  }
  return user
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
