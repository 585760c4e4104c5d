/** Records the use of sessions in the background, and not with every request because it is a write. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from '../context.ts'
import type { SessionRow } from '../features/sessions/store.ts'
import { keepSession } from '../features/sessions/writes.ts'
import { later } from '../lib/clock.ts'
import type { Dispatch } from './app.ts'
import { type Call, continueCall, toInnerCall } from './call.ts'
import { readSessionSecret, sessionCookie } from './session-cookie.ts'

const PAUSE_SECONDS_MAX = 300

/** Returns the headers that renew the session cookie in the browser; empty if the session need not be renewed yet. */
export type KeepSession = (session: SessionRow, call: Call, headers: IncomingHttpHeaders) => Record<string, string>

export function createKeepSession(ctx: Context, dispatch: Dispatch): KeepSession {
  const pauseSeconds = Math.min(PAUSE_SECONDS_MAX, ctx.config.sessionSeconds / 10)
  /** Ids of sessions whose renewal is in progress. */
  const pending = new Set<string>()
  return (session, call, headers) => {
    const secret = readSessionSecret(headers)
    if (secret === null || pending.has(session.id) || later(session.last_seen_at, pauseSeconds) > ctx.now()) return {}
    pending.add(session.id)
    dispatch(keepSession, continueCall(call, toInnerCall(keepSession, { session_id: session.id })))
      .catch(error => ctx.log.warn({ err: error }, 'a session was not kept'))
      .finally(() => pending.delete(session.id))
    return sessionCookie({ config: ctx.config, sender: call.sender }, secret)
  }
}
