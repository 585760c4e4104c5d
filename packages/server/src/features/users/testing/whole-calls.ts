/** Complete runs of use cases that start on the main thread and end on the writer. */
import type { Id } from '@postil/domain/schema'
import type { User, UserCreate, UserUpdate } from '@postil/domain/users'
import type { RequestContext } from '../../../context.ts'
import { createUser, insertHashedUser } from '../create.ts'
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
