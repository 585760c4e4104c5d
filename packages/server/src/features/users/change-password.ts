import { conflict, invalid } from '@postil/domain/errors'
import type { PasswordChange } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { loadUser, loadUserToChange, type UserRow, updateUserRow } from './store.ts'
import * as writes from './writes.ts'

/**
 * Checks the current password and hashes the new one outside the writer, so that no write has to wait. The writer then stores the
 * hash.
 */
export async function changePassword(ctx: RequestContext, input: PasswordChange): Promise<OnWriter> {
  const { credentials_version } = await checkCurrentPassword(ctx, input.current_password)
  const password_hash = await ctx.passwords.hash(input.new_password, hashedFor(ctx))
  return new OnWriter(writes.storePassword, { password_hash, credentials_version })
}

/** Stores the caller's new password. Ends their tokens and their sessions in other browsers; the API key remains valid. */
export function storePassword(ctx: RequestContext, password_hash: string, checkedVersion: number): Promise<UserRow> {
  return write(ctx, async tx => {
    const stored = await loadUserToChange(tx, ctx.actor.id)
    // The password that was checked is no longer current. A caller who only knows the old password must not set a new one.
    if (stored.credentials_version !== checkedVersion) {
      throw conflict('The password or role of this user was changed just now. Try again with the current password.')
    }
    const user = { ...stored, password_hash, credentials_version: checkedVersion + 1, updated_at: ctx.now() }
    await updateUserRow(tx, user)
    await deleteSessionsOf(tx, user.id, { except: ctx.sender.sessionHash })
    await audit(tx, ctx, { action: 'user.password_changed', target: asTarget(user) })
    return user
  })
}

const hashedFor = ({ actor }: RequestContext) => ({ source: `user ${actor.id}`, isKnown: true })

/** Rate-limited like sign-in, so that the password cannot be guessed in a browser that was left open. */
async function checkCurrentPassword(ctx: RequestContext, password: string): Promise<UserRow> {
  const keys = [{ limit: 'known', value: `user ${ctx.actor.id}` }] as const
  const user = await ctx.attempts.run(keys, async () => {
    const current = await loadUser(ctx.db, ctx.actor.id)
    return (await ctx.passwords.fits(current.password_hash, password, hashedFor(ctx))) ? current : null
  })
  if (user) return user
  const { actor, sender, signIns } = ctx
  signIns.add({ action: 'user.password_change_failed', why: { reason: 'wrong_password' }, user: actor, isProven: true, sender })
  throw invalid('This is not your password', ['current_password'])
}
