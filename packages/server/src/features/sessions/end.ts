import { notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { OpenContext, RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { deleteSessionByHash, deleteSessionOf } from './store.ts'

/** Ends the session of this browser, if it has one. */
export async function signOut(ctx: OpenContext): Promise<void> {
  const { sessionHash } = ctx.sender
  if (sessionHash !== null) await write(ctx, tx => deleteSessionByHash(tx, sessionHash))
}

/** Ends one of the caller's sessions; those of others do not exist for them. */
export function endSession(ctx: RequestContext, sessionId: Id): Promise<void> {
  return write(ctx, async tx => {
    if (!(await deleteSessionOf(tx, ctx.actor.id, sessionId))) throw notFound('Session', sessionId)
  })
}
