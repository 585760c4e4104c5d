import { allow, invalid } from '@postil/domain/errors'
import { listed } from '@postil/domain/message-values'
import { canManageUsers } from '@postil/domain/permissions'
import type { User, UserCreate } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { RequestContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import type { Queryable } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { checkNewUsername } from '../names/check.ts'
import { insertMemberships, listWorkspacesByNames } from '../workspaces/store.ts'
import { newUserRow } from './new-user.ts'
import { insertUser, toUser } from './store.ts'
import * as writes from './writes.ts'

/**
 * Hashes the password outside the writer, so that no write has to wait, if the caller may create users. The writer then creates
 * the user.
 */
export async function createUser(ctx: RequestContext, { password, ...others }: UserCreate): Promise<OnWriter> {
  allow(canManageUsers(ctx.actor))
  const password_hash = await ctx.passwords.hash(password, { source: `user ${ctx.actor.id}`, isKnown: true })
  return new OnWriter(writes.insertUser, { ...others, password_hash })
}

/** Creates a user with a new API key in the named workspaces, in one transaction. */
export function insertHashedUser(ctx: RequestContext, input: writes.HashedUserCreate): Promise<User> {
  return write(ctx, async tx => {
    const username = await checkNewUsername(tx, input.username)
    const workspaces = await listNamedWorkspaces(tx, input.workspaces ?? [])

    const row = newUserRow(ctx, {
      id: input.id ?? null,
      first_name: input.first_name,
      last_name: input.last_name ?? null,
      username,
      role: input.role ?? 'annotator',
      passwordHash: input.password_hash,
      apiKey: ctx.apiKeys.create(),
    })
    await insertUser(tx, row)
    await insertMemberships(
      tx,
      workspaces.map(workspace => ({ workspace_id: workspace.id, user_id: row.id, inserted_at: ctx.now() })),
    )
    const details = { role: row.role, workspaces: workspaces.map(({ name }) => name) }
    await audit(tx, ctx, { action: 'user.created', target: asTarget(row), details })
    return toUser(ctx, row)
  })
}

async function listNamedWorkspaces(db: Queryable, names: readonly string[]): Promise<Workspace[]> {
  const workspaces = await listWorkspacesByNames(db, names)
  const known = new Set(workspaces.map(workspace => workspace.name))
  const unknown = names.filter(name => !known.has(name))
  if (unknown.length > 0) throw invalid(`There is no workspace named: ${listed(unknown)}`, ['workspaces'])
  return workspaces
}
