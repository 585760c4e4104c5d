import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { purgePiece } from './purge.ts'
import { hideUser, loadUser, toUser } from './store.ts'

/**
 * Deletes a user and their responses; records that these responses completed become pending again. If there are many, the user is deleted
 * at once, and a job deletes the responses in batches. Users can delete themselves, and the last owner can be deleted. The change log gets
 * an entry, but no `response.deleted` event is emitted: the interface has none for this.
 */
export function deleteUser(ctx: RequestContext, userId: Id): Promise<User> {
  return write(ctx, async tx => {
    const user = await loadUser(tx, userId)
    allow(canManageUsers(ctx.actor))

    const rest = await purgePiece(ctx, tx, { user_id: userId, actor_id: ctx.actor.id, done: 0 })
    if (rest) {
      await hideUser(tx, userId)
      await enqueue(tx, { id: ctx.newId(), now: ctx.now(), name: 'purge-user', payload: rest })
    }
    await audit(tx, ctx, { action: 'user.deleted', target: asTarget(user), details: { role: user.role } })
    return toUser(ctx, user)
  })
}
