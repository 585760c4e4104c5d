import type { Workspace } from '@postil/domain/workspaces'
import type { Context } from '../../context.ts'
import type { Tx } from '../../storage/write.ts'
import { checkNewWorkspaceName } from '../names/check.ts'
import { lockNames } from '../names/store.ts'
import { insertWorkspace, listWorkspacesByNames } from './store.ts'

/** Returns the workspaces with these names. Creates missing ones. */
export async function ensureWorkspaces(
  ctx: Context,
  tx: Tx,
  names: readonly string[],
): Promise<{ workspaces: Workspace[]; created: Workspace[] }> {
  const existing = await findByNames(tx, names)
  if (existing.missing.length === 0) return { workspaces: existing.found, created: [] }

  // Looked up again, because a concurrent transaction may have created some of them.
  await lockNames(tx)
  const { found, missing } = await findByNames(tx, names)
  const now = ctx.now()
  const created: Workspace[] = []
  for (const given of missing) {
    const name = await checkNewWorkspaceName(tx, given)
    const workspace = { id: ctx.newId(), name, inserted_at: now, updated_at: now }
    await insertWorkspace(tx, workspace)
    created.push(workspace)
  }
  return { workspaces: [...found, ...created], created }
}

/** New names are stored in NFC; older ones are found as they were stored. */
async function findByNames(tx: Tx, given: readonly string[]): Promise<{ found: Workspace[]; missing: string[] }> {
  const composed = given.map(name => name.normalize('NFC'))
  const stored = await listWorkspacesByNames(tx, [...new Set([...given, ...composed])])
  const byName = new Map(stored.map(workspace => [workspace.name, workspace]))
  const of = (name: string) => byName.get(name) ?? byName.get(name.normalize('NFC'))
  const missing = given.filter(name => of(name) === undefined).map(name => name.normalize('NFC'))
  return { found: [...new Set(given.flatMap(name => of(name) ?? []))], missing: [...new Set(missing)] }
}
