import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { loadUserToChange, toUser, updateApiKey } from './store.ts'

/** Replaces the caller's API key. The old one becomes invalid. */
export const rotateApiKey = (ctx: RequestContext): Promise<User> => replaceApiKey(ctx, ctx.actor.id)

/** Replaces any user's API key. The response contains the new one. */
export async function resetApiKey(ctx: RequestContext, userId: Id): Promise<User> {
  allow(canManageUsers(ctx.actor))
  return replaceApiKey(ctx, userId)
}

function replaceApiKey(ctx: RequestContext, userId: Id): Promise<User> {
  const key = ctx.apiKeys.create()
  return write(ctx, async tx => {
    const user = await loadUserToChange(tx, userId)
    const changes = {
      api_key_hash: ctx.apiKeys.hash(key),
      api_key_encrypted: ctx.apiKeys.encrypt(key),
      updated_at: ctx.now(),
    }
    await updateApiKey(tx, { id: user.id, ...changes })
    await audit(tx, ctx, { action: 'user.api_key_rotated', target: asTarget(user) })
    return toUser(ctx, { ...user, ...changes })
  })
}
