import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { write } from '../../storage/write.ts'
import { deleteExpiredSessions, updateLastSeen } from './store.ts'

/** Extends the expiry of a session in use. */
export function keepSession(ctx: Context, sessionId: Id): Promise<void> {
  return write(ctx, async tx => {
    const now = ctx.now()
    await updateLastSeen(tx, sessionId, { last_seen_at: now, expires_at: later(now, ctx.config.sessionSeconds) })
    await deleteExpiredSessions(tx, now)
  })
}
