import type { Id } from '@postil/domain/schema'
import type { Workspace } from '@postil/domain/workspaces'
import type { Context } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import { insertMemberships, insertWorkspace, listWorkspacesByNames } from '../workspaces/store.ts'

/** Adds a new user to the workspaces with these names. Creates missing workspaces and returns them. */
export async function joinWorkspaces(ctx: Context, tx: Tx, names: readonly string[], userId: Id): Promise<Workspace[]> {
  const now = ctx.now()
  const wanted = [...new Set(names)]
  const existing = await listWorkspacesByNames(tx, wanted)
  const missing = wanted.filter(name => !existing.some(workspace => workspace.name === name))
  const created = missing.map(name => ({ id: ctx.newId(), name, inserted_at: now, updated_at: now }))
  for (const workspace of created) await insertWorkspace(tx, workspace)
  const memberships = [...existing, ...created].map(({ id }) => ({ workspace_id: id, user_id: userId, inserted_at: now }))
  await insertMemberships(tx, memberships)
  return created
}
