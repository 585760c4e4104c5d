import { allow, notUnique } from '@postil/domain/errors'
import { canDeleteWorkspace } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Workspace } from '@postil/domain/workspaces'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { deleteWorkspaceRow, hasDatasets, lockWorkspace } from './store.ts'

/** Deletes a workspace that has no datasets, with its memberships. */
export function deleteWorkspace(ctx: RequestContext, workspaceId: Id): Promise<Workspace> {
  return write(ctx, async tx => {
    allow(canDeleteWorkspace(ctx.actor))
    const workspace = await lockWorkspace(tx, workspaceId)
    // Not a uniqueness error, but existing clients expect status 409.
    if (await hasDatasets(tx, workspaceId)) throw notUnique(`Workspace \`${workspace.name}\` has datasets; delete them first`)
    await deleteWorkspaceRow(tx, workspaceId)
    await audit(tx, ctx, { action: 'workspace.deleted', target: workspace, workspaceId })
    return workspace
  })
}
