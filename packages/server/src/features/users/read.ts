import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User, UserContributions } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { RequestContext } from '../../context.ts'
import { listWorkspaces } from '../workspaces/store.ts'
import { countContributions } from './purge-store.ts'
import * as store from './store.ts'

export async function getMe(ctx: RequestContext): Promise<User> {
  return store.toUser(ctx, await store.loadUser(ctx.db, ctx.actor.id))
}

export async function getUser(ctx: RequestContext, userId: Id): Promise<User> {
  allow(canManageUsers(ctx.actor))
  return store.toUser(ctx, await store.loadUser(ctx.db, userId))
}

export async function listUsers(ctx: RequestContext): Promise<{ items: User[] }> {
  allow(canManageUsers(ctx.actor))
  const users = await store.listUsers(ctx.db)
  return { items: users.map(user => store.toUser(ctx, user)) }
}

/** Lists the workspaces in which a user can act: all of them for an owner. */
export async function listUserWorkspaces(ctx: RequestContext, userId: Id): Promise<{ items: Workspace[] }> {
  allow(canManageUsers(ctx.actor))
  const user = await store.loadUser(ctx.db, userId)
  return { items: await listWorkspaces(ctx.db, { memberId: user.role === 'owner' ? null : user.id }) }
}

/** Counts the contributions that deleting the user would remove or keep under a pseudonym. */
export async function getUserContributions(ctx: RequestContext, userId: Id): Promise<UserContributions> {
  allow(canManageUsers(ctx.actor))
  await store.loadUser(ctx.db, userId)
  return countContributions(ctx.db, userId)
}
