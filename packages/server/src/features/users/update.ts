import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User, UserUpdate } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { type Tx, write } from '../../storage/write.ts'
import { asTarget, audit, listChangedProperties } from '../audit-log/add.ts'
import { checkChangedUsername } from '../names/check.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { logNames } from './log-names.ts'
import { loadUser, loadUserToChange, toUser, type UserRow, updateUserRow } from './store.ts'
import * as writes from './writes.ts'

/** Hashes a new password outside the writer, so that no write has to wait. The writer then changes the user. */
export async function updateUser(ctx: RequestContext, userId: Id, { password, ...others }: UserUpdate): Promise<OnWriter> {
  await loadUser(ctx.db, userId)
  allow(canManageUsers(ctx.actor))
  const by = { source: `user ${ctx.actor.id}`, isKnown: true }
  const given = password === undefined ? others : { ...others, password_hash: await ctx.passwords.hash(password, by) }
  return new OnWriter(writes.changeUser, { user_id: userId, given })
}

/** Changes the given properties of a user. `updated_at` changes only if a stored value differs. */
export function changeHashedUser(ctx: RequestContext, userId: Id, given: writes.HashedUserUpdate): Promise<User> {
  return write(ctx, async tx => {
    // Loaded again, because the user may have been changed or deleted while the password was hashed.
    const stored = await loadUserToChange(tx, userId)
    if (isUnchanged(stored, given)) return toUser(ctx, stored)

    const isRenamed = given.username !== undefined && given.username !== stored.username
    const username = isRenamed ? await checkChangedUsername(tx, userId, given.username as string) : stored.username
    const row = withNewVersion(stored, { ...stored, ...given, username, updated_at: ctx.now() })
    await updateUserRow(tx, row)
    if (NAMES.some(name => row[name] !== stored[name])) await logNames(tx, userId)
    // A new password ends all other sessions.
    if (row.password_hash !== stored.password_hash) await deleteSessionsOf(tx, userId, { except: ctx.sender.sessionHash })
    await auditChange(ctx, tx, stored, row)
    return toUser(ctx, row)
  })
}

/** Properties of a user that datasets show. */
const NAMES = ['username', 'first_name', 'last_name'] as const

/** A new password has a separate entry. Passwords and keys are never logged. */
async function auditChange(ctx: RequestContext, tx: Tx, before: UserRow, after: UserRow): Promise<void> {
  const target = asTarget(after)
  if (after.password_hash !== before.password_hash) await audit(tx, ctx, { action: 'user.password_changed', target })
  const changed = listChangedProperties(shownOf(before), shownOf(after))
  if (changed.length === 0) return
  const fromTo = (key: 'role' | 'username') => (changed.includes(key) ? { [key]: { from: before[key], to: after[key] } } : {})
  await audit(tx, ctx, { action: 'user.updated', target, details: { changed, ...fromTo('role'), ...fromTo('username') } })
}

const shownOf = ({ first_name, last_name, username, role }: UserRow) => ({ first_name, last_name, username, role })

function isUnchanged(stored: UserRow, given: writes.HashedUserUpdate): boolean {
  return (Object.keys(given) as (keyof writes.HashedUserUpdate)[]).every(key => given[key] === stored[key])
}

/** A change of password or role invalidates existing tokens. */
function withNewVersion(stored: UserRow, row: UserRow): UserRow {
  const isKept = row.password_hash === stored.password_hash && row.role === stored.role
  return isKept ? row : { ...row, credentials_version: stored.credentials_version + 1 }
}
