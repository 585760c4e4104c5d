import { allow, forbidden, invalid } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { loadUserToChange, lockActiveOwners, toUser, type UserRow, updateUserRow } from './store.ts'

/**
 * Prevents a user from signing in: rejects their API key and ends their sessions and tokens. Their responses and comments remain.
 */
export async function deactivateUser(ctx: RequestContext, userId: Id): Promise<User> {
  allow(canManageUsers(ctx.actor))
  return write(ctx, async tx => {
    const owners = await lockActiveOwners(tx)
    const stored = await loadUserToChange(tx, userId)
    if (stored.deactivated_at !== null) return toUser(ctx, stored)
    checkMayBeDeactivated(ctx, stored, owners)

    const now = ctx.now()
    const row = { ...stored, deactivated_at: now, credentials_version: stored.credentials_version + 1, updated_at: now }
    await updateUserRow(tx, row)
    await deleteSessionsOf(tx, userId, { except: null })
    await audit(tx, ctx, { action: 'user.deactivated', target: asTarget(row) })
    return toUser(ctx, row)
  })
}

/** Two owners may deactivate each other concurrently; the second one then finds the last owner here. */
function checkMayBeDeactivated({ actor }: RequestContext, { id, username }: UserRow, owners: readonly Id[]): void {
  if (id === actor.id) throw invalid('You cannot deactivate yourself. Ask another owner to do it.')
  if (owners.length === 1 && owners[0] === id) {
    throw invalid(`User \`${username}\` is the last active owner. Make somebody else an owner first.`)
  }
  if (!owners.includes(actor.id)) throw forbidden('You are not an active owner any more')
}

/** Reactivates a user with their password and API key. Earlier tokens and sessions remain invalid. */
export async function reactivateUser(ctx: RequestContext, userId: Id): Promise<User> {
  allow(canManageUsers(ctx.actor))
  return write(ctx, async tx => {
    const stored = await loadUserToChange(tx, userId)
    if (stored.deactivated_at === null) return toUser(ctx, stored)
    const row = { ...stored, deactivated_at: null, updated_at: ctx.now() }
    await updateUserRow(tx, row)
    await audit(tx, ctx, { action: 'user.reactivated', target: asTarget(row) })
    return toUser(ctx, row)
  })
}
