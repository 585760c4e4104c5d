import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User, UserUpdate } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { hashPassword } from '../../lib/password.ts'
import { write } from '../../storage/write.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { findUserByUsername, loadUser, toUser, type UserRow, updateUserRow, usernameTaken } from './store.ts'

/** Changes what is given of a user. `updated_at` moves only when something stored differs afterwards. */
export async function updateUser(ctx: RequestContext, userId: Id, input: UserUpdate): Promise<User> {
  await loadUser(ctx.db, userId)
  allow(canManageUsers(ctx.actor))
  const given = await toGiven(input)

  return write(ctx, async tx => {
    // Again, because hashing took a while: others may have changed or deleted the user meanwhile.
    const stored = await loadUser(tx, userId)
    if (isUnchanged(stored, given)) return toUser(ctx, stored)

    const row = { ...stored, ...given, updated_at: ctx.now() }
    if (row.username !== stored.username && (await findUserByUsername(tx, row.username))) throw usernameTaken(row.username)
    await updateUserRow(tx, row)
    // Whoever knew the old password is out.
    if (row.password_hash !== stored.password_hash) await deleteSessionsOf(tx, userId, { except: ctx.sender.sessionHash })
    return toUser(ctx, row)
  })
}

type Given = Partial<Pick<UserRow, 'first_name' | 'last_name' | 'username' | 'role' | 'password_hash'>>

/** Before the transaction, which hashing must not keep open. */
async function toGiven({ password, ...others }: UserUpdate): Promise<Given> {
  return password === undefined ? others : { ...others, password_hash: await hashPassword(password) }
}

function isUnchanged(stored: UserRow, given: Given): boolean {
  return (Object.keys(given) as (keyof Given)[]).every(key => given[key] === stored[key])
}
