/** Use cases that begin on the main thread and end on the writer, from beginning to end. */
import type { Id } from '@postil/domain/schema'
import type { PasswordChange, User, UserCreate, UserUpdate } from '@postil/domain/users'
import type { RequestContext } from '../../../context.ts'
import { changePassword, storePassword } from '../change-password.ts'
import { createUser, insertHashedUser } from '../create.ts'
import type { UserRow } from '../store.ts'
import { changeHashedUser, updateUser } from '../update.ts'
import type { HashedUserCreate, HashedUserUpdate } from '../writes.ts'

export async function createWholeUser(ctx: RequestContext, input: UserCreate): Promise<User> {
  const { body } = await createUser(ctx, input)
  return insertHashedUser(ctx, body as HashedUserCreate)
}

export async function updateWholeUser(ctx: RequestContext, userId: Id, input: UserUpdate): Promise<User> {
  const { body } = await updateUser(ctx, userId, input)
  return changeHashedUser(ctx, userId, (body as { given: HashedUserUpdate }).given)
}

export async function changeWholePassword(ctx: RequestContext, input: PasswordChange): Promise<UserRow> {
  const { body } = await changePassword(ctx, input)
  const { password_hash, credentials_version } = body as { password_hash: string; credentials_version: number }
  return storePassword(ctx, password_hash, credentials_version)
}
