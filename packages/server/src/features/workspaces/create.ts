import { allow } from '@postil/domain/errors'
import { canCreateWorkspace } from '@postil/domain/permissions'
import type { Workspace, WorkspaceCreate } from '@postil/domain/workspaces'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { checkNewWorkspaceName } from '../names/check.ts'
import { insertWorkspace } from './store.ts'

/** Creates a workspace. Its creator is an owner and does not need a membership. */
export function createWorkspace(ctx: RequestContext, input: WorkspaceCreate): Promise<Workspace> {
  return write(ctx, async tx => {
    allow(canCreateWorkspace(ctx.actor))
    const now = ctx.now()
    const workspace = {
      id: input.id ?? ctx.newId(),
      name: await checkNewWorkspaceName(tx, input.name),
      inserted_at: now,
      updated_at: now,
    }
    await insertWorkspace(tx, workspace)
    await audit(tx, ctx, { action: 'workspace.created', target: workspace, workspaceId: workspace.id })
    return workspace
  })
}
