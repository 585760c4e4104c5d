import type { Session } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { listSessionsOf } from './store.ts'

/** Lists the caller's sessions. */
export async function listSessions(ctx: RequestContext): Promise<{ items: Session[] }> {
  const rows = await listSessionsOf(ctx.db, ctx.actor.id, ctx.now())
  const items = rows.map(({ id, user_agent, inserted_at, last_seen_at, expires_at, secret_hash }) => {
    return { id, user_agent, inserted_at, last_seen_at, expires_at, current: secret_hash === ctx.sender.sessionHash }
  })
  return { items }
}
