import { DomainError } from '@postil/domain/errors'
import type { Role, User } from '@postil/domain/users'
import type { OpenContext } from '../../context.ts'
import { passwordFits } from '../../lib/password.ts'
import { findUserByUsername } from '../users/store.ts'

export interface Credentials {
  username: string
  password: string
}

type SignedIn = Pick<User, 'id' | 'first_name' | 'username' | 'role'>

/**
 * The user these credentials belong to. An unknown name and a wrong password are refused alike, in words and in time. Wrong ones
 * are counted for all routes together: who guesses gains nothing by trying another door.
 */
export async function checkCredentials(ctx: OpenContext, { username, password }: Credentials): Promise<SignedIn> {
  const attempt = `sign in ${ctx.sender.address} ${username}`
  ctx.attempts.take(attempt)
  const user = await findUserByUsername(ctx.db, username)
  const fits = await passwordFits(user?.password_hash ?? null, password)
  if (!user || !fits) throw new DomainError('unauthenticated', 'Username or password is wrong')
  ctx.attempts.giveBack(attempt)
  return { id: user.id, first_name: user.first_name, username: user.username, role: user.role as Role }
}
