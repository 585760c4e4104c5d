/** Creates and changes users from the command line, without an acting user. */
import type { Role } from '@postil/domain/users'
import type { Context } from '../../context.ts'
import { type Tx, write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { checkNewUsername } from '../names/check.ts'
import { joinWorkspaces } from './join-workspaces.ts'
import { newUserRow } from './new-user.ts'
import { findUserByUsername, insertUser, loadUserToChange, updateUserRow } from './store.ts'

export interface CommandUser {
  first_name: string
  last_name: string | null
  username: string
  role: Role
  passwordHash: string
  apiKey: string
  /** Workspace names. Missing workspaces are created. */
  workspaces: string[]
}

/** Stores either all users or none. Throws `not_unique` if a username or an API key is taken. */
export function storeUsers(ctx: Context, users: readonly CommandUser[], command: string): Promise<void> {
  return write(ctx, async tx => {
    for (const user of users) await storeUser(ctx, tx, user, command)
  })
}

async function storeUser(ctx: Context, tx: Tx, { workspaces, ...user }: CommandUser, command: string): Promise<void> {
  const username = await checkNewUsername(tx, user.username)
  const row = newUserRow(ctx, { id: null, ...user, username })
  await insertUser(tx, row)
  const created = await joinWorkspaces(ctx, tx, workspaces, row.id)
  for (const workspace of created) {
    await audit(tx, ctx, { action: 'workspace.created', target: workspace, workspaceId: workspace.id, details: { command } })
  }
  const details = { role: row.role, workspaces, command }
  await audit(tx, ctx, { action: 'user.created', target: asTarget(row), details })
}

/** Returns the previous role, or null if there is no such user. Invalidates the user's tokens. */
export function changeRole(ctx: Context, username: string, role: Role, command: string): Promise<Role | null> {
  return write(ctx, async tx => {
    const found = await findUserByUsername(tx, username)
    if (found === null) return null
    const stored = await loadUserToChange(tx, found.id)
    const from = stored.role as Role
    if (from === role) return from
    await updateUserRow(tx, { ...stored, role, credentials_version: stored.credentials_version + 1, updated_at: ctx.now() })
    const details = { changed: ['role'], role: { from, to: role }, command }
    await audit(tx, ctx, { action: 'user.updated', target: asTarget(stored), details })
    return from
  })
}
