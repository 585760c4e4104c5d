import { DomainError } from '@postil/domain/errors'
import type { Role, User } from '@postil/domain/users'
import type { Context } from '../../context.ts'
import { passwordFits } from '../../lib/password.ts'
import { findUserByUsername } from '../users/store.ts'

export interface Credentials {
  username: string
  password: string
}

type SignedIn = Pick<User, 'id' | 'first_name' | 'username' | 'role'>

/** The user these credentials belong to. An unknown name and a wrong password are refused alike, in words and in time. */
export async function checkCredentials(ctx: Context, { username, password }: Credentials): Promise<SignedIn> {
  const user = await findUserByUsername(ctx.db, username)
  const fits = await passwordFits(user?.password_hash ?? null, password)
  if (!user || !fits) throw new DomainError('unauthenticated', 'Username or password is wrong')
  return { id: user.id, first_name: user.first_name, username: user.username, role: user.role as Role }
}
