import { allow } from '@postil/domain/errors'
import { canListWorkspaceUsers, canReadWorkspace } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { RequestContext } from '../../context.ts'
import { listUsersOf, toUser } from '../users/store.ts'
import { listWorkspaces, loadWorkspace } from './store.ts'

/** Lists the workspaces in which the caller can act: all of them for an owner. */
export async function listMyWorkspaces(ctx: RequestContext): Promise<{ items: Workspace[] }> {
  const memberId = ctx.actor.role === 'owner' ? null : ctx.actor.id
  return { items: await listWorkspaces(ctx.db, { memberId }) }
}

export async function getWorkspace(ctx: RequestContext, workspaceId: Id): Promise<Workspace> {
  allow(canReadWorkspace(ctx.actor, workspaceId))
  return loadWorkspace(ctx.db, workspaceId)
}

/** Lists explicit members only. Owners have access without a membership. */
export async function listWorkspaceUsers(ctx: RequestContext, workspaceId: Id): Promise<{ items: User[] }> {
  allow(canListWorkspaceUsers(ctx.actor, workspaceId))
  await loadWorkspace(ctx.db, workspaceId)
  const users = await listUsersOf(ctx.db, workspaceId)
  return { items: users.map(user => toUser(ctx, user)) }
}
