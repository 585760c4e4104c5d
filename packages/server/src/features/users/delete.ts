import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { ResponsesOfDeleted, User } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { type Tx, write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { keepAsPseudonym } from './pseudonym.ts'
import { purgePiece } from './purge.ts'
import { hideUser, loadAuthor, toUser } from './store.ts'

/**
 * Deletes a user, or the pseudonym of a deleted user. Users can delete themselves, and the last owner can be deleted. With
 * `keep`, their responses and comments remain under a pseudonym.
 */
export function deleteUser(ctx: RequestContext, userId: Id, responses: ResponsesOfDeleted = 'delete'): Promise<User> {
  return write(ctx, async tx => {
    const user = await loadAuthor(tx, userId)
    allow(canManageUsers(ctx.actor))

    if (responses === 'keep') await keepAsPseudonym(ctx, tx, { user_id: userId, actor_id: ctx.actor.id })
    else await deleteWithResponses(ctx, tx, userId)
    await audit(tx, ctx, { action: 'user.deleted', target: asTarget(user), details: { role: user.role, responses } })
    return toUser(ctx, user)
  })
}

/**
 * Records that the user's responses completed become pending again. If there are many responses, the user is hidden immediately
 * and a job deletes the responses in batches. The change log gets an entry, but no `response.deleted` event is emitted, because
 * the API defines none for this case.
 */
async function deleteWithResponses(ctx: RequestContext, tx: Tx, userId: Id): Promise<void> {
  const rest = await purgePiece(ctx, tx, { user_id: userId, actor_id: ctx.actor.id, done: 0 })
  if (!rest) return
  await hideUser(tx, userId)
  await enqueue(tx, { id: ctx.newId(), now: ctx.now(), name: 'purge-user', payload: rest })
}
