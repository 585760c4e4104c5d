import { notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { OpenContext, RequestContext } from '../../context.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { findUser } from '../users/store.ts'
import { deleteSessionByHash, deleteSessionOf, findSession } from './store.ts'

/** Ends the session of this browser, if there is one. */
export async function signOut(ctx: OpenContext): Promise<void> {
  const { sessionHash } = ctx.sender
  if (sessionHash === null) return
  await write(ctx, async tx => {
    const session = await findSession(tx, sessionHash, ctx.now())
    const user = session && (await findUser(tx, session.user_id))
    await deleteSessionByHash(tx, sessionHash)
    if (user) await audit(tx, { ...ctx, actor: user }, { action: 'user.signed_out', target: asTarget(user) })
  })
}

/** Ends one of the caller's sessions. Sessions of other users count as not found. */
export function endSession(ctx: RequestContext, sessionId: Id): Promise<void> {
  return write(ctx, async tx => {
    if (!(await deleteSessionOf(tx, ctx.actor.id, sessionId))) throw notFound('Session', sessionId)
    const details = { session_id: sessionId }
    await audit(tx, ctx, { action: 'user.session_ended', target: asTarget(ctx.actor), details })
  })
}
