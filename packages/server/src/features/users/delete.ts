import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { write } from '../../storage/write.ts'
import { purgePiece } from './purge.ts'
import { hideUser, loadUser, toUser } from './store.ts'

/**
 * Deletes a user with their responses; records that these completed are pending again. Of a user with many responses, the user is gone
 * at once, and a job removes the responses, batch by batch. Deleting oneself or the last owner is not refused. No event is emitted,
 * because nobody changed a response. The change log has an entry.
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
    return toUser(ctx, user)
  })
}
