import type { User } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { loadUser, toUser, updateApiKey } from './store.ts'

/** Gives the caller a new API key. The old one opens nothing any more. */
export function rotateApiKey(ctx: RequestContext): Promise<User> {
  const key = ctx.apiKeys.create()
  return write(ctx, async tx => {
    const user = await loadUser(tx, ctx.actor.id)
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
