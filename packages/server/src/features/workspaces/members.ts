import { allow, DomainError, invalid, notUnique } from '@postil/domain/errors'
import { canAddWorkspaceUser, canRemoveWorkspaceUser } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { RequestContext } from '../../context.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { findUser, loadUser, toUser, type UserRow } from '../users/store.ts'
import { deleteMembership, hasMember, insertMemberships, loadWorkspace } from './store.ts'

/** Makes a user a member of a workspace. */
export function addWorkspaceUser(ctx: RequestContext, workspaceId: Id, userId: Id): Promise<User> {
  return write(ctx, async tx => {
    allow(canAddWorkspaceUser(ctx.actor))
    const workspace = await loadWorkspace(tx, workspaceId)
    const user = await findUser(tx, userId)
    if (!user) throw invalid(`User with id \`${userId}\` not found`, ['user_id'])
    if (await hasMember(tx, workspaceId, userId)) {
      throw notUnique(`User \`${user.username}\` is a member of workspace \`${workspace.name}\` already`)
    }
    await insertMemberships(tx, [{ workspace_id: workspaceId, user_id: userId, inserted_at: ctx.now() }])
    await auditMember(ctx, tx, 'workspace.user_added', { workspace, user })
    return toUser(ctx, user)
  })
}

/** Ends a membership. The user's responses remain, and so do their permissions for them. */
export function removeWorkspaceUser(ctx: RequestContext, workspaceId: Id, userId: Id): Promise<User> {
  return write(ctx, async tx => {
    if (!(await hasMember(tx, workspaceId, userId))) {
      throw new DomainError('not_found', `User with id \`${userId}\` is not a member of workspace with id \`${workspaceId}\``)
    }
    allow(canRemoveWorkspaceUser(ctx.actor, workspaceId))
    await deleteMembership(tx, workspaceId, userId)
    const user = await loadUser(tx, userId)
    await auditMember(ctx, tx, 'workspace.user_removed', { workspace: await loadWorkspace(tx, workspaceId), user })
    return toUser(ctx, user)
  })
}

function auditMember(
  ctx: RequestContext,
  tx: Tx,
  action: 'workspace.user_added' | 'workspace.user_removed',
  { workspace, user }: { workspace: Workspace; user: UserRow },
): Promise<void> {
  const details = { user: { id: user.id, username: user.username }, role: user.role }
  return audit(tx, ctx, { action, target: workspace, workspaceId: workspace.id, details })
}
