/**
 * Audit log entries of signing in with a provider. They have no actor, because the user is not signed in yet and the provider
 * decides.
 */
import type { AuditDetails } from '@postil/domain/audit-log'
import type { Workspace } from '@postil/domain/workspaces'
import type { Context, OpenContext } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import { asTarget, audit, auditAll } from '../audit-log/add.ts'
import type { UserRow } from '../users/store.ts'

/** Only for tokens: a session gets its entry when it is opened. */
export function auditToken(ctx: OpenContext, tx: Tx, user: UserRow, provider: string): Promise<void> {
  const { userAgent } = ctx.sender
  const details = { method: 'token', provider, ...(userAgent === null ? {} : { user_agent: userAgent }) }
  return audit(tx, { ...ctx, actor: user }, { action: 'user.signed_in', target: asTarget(user), details })
}

export function auditNewUser(ctx: OpenContext, tx: Tx, user: UserRow, details: AuditDetails): Promise<void> {
  return audit(tx, ctx, { action: 'user.created', target: asTarget(user), details: { role: user.role, ...details } })
}

export function auditRole(
  ctx: OpenContext,
  tx: Tx,
  { before, after }: { before: UserRow; after: UserRow },
  provider: string,
): Promise<void> {
  const details = { changed: ['role'], role: { from: before.role, to: after.role }, provider }
  return audit(tx, ctx, { action: 'user.updated', target: asTarget(after), details })
}

export function auditMemberships(
  ctx: OpenContext,
  tx: Tx,
  { user, added, removed }: { user: UserRow; added: readonly Workspace[]; removed: readonly Workspace[] },
  provider: string,
): Promise<void> {
  const details = { user: { id: user.id, username: user.username }, role: user.role, provider }
  const toEntry = (action: 'workspace.user_added' | 'workspace.user_removed') => (workspace: Workspace) => {
    return { action, target: workspace, workspaceId: workspace.id, details }
  }
  return auditAll(tx, ctx, [...removed.map(toEntry('workspace.user_removed')), ...added.map(toEntry('workspace.user_added'))])
}

export function auditNewWorkspaces(ctx: Context, tx: Tx, workspaces: readonly Workspace[], details: AuditDetails): Promise<void> {
  const toEntry = (workspace: Workspace) => {
    return { action: 'workspace.created' as const, target: workspace, workspaceId: workspace.id, details }
  }
  return auditAll(tx, ctx, workspaces.map(toEntry))
}
