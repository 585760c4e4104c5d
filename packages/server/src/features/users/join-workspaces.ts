import type { Id } from '@postil/domain/schema'
import type { Workspace } from '@postil/domain/workspaces'
import type { Context } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import { ensureWorkspaces } from '../workspaces/ensure.ts'
import { insertMemberships } from '../workspaces/store.ts'

/** Adds a new user to the workspaces with these names. Creates missing workspaces and returns them. */
export async function joinWorkspaces(ctx: Context, tx: Tx, names: readonly string[], userId: Id): Promise<Workspace[]> {
  const { workspaces, created } = await ensureWorkspaces(ctx, tx, names)
  const inserted_at = ctx.now()
  await insertMemberships(
    tx,
    workspaces.map(({ id }) => ({ workspace_id: id, user_id: userId, inserted_at })),
  )
  return created
}
