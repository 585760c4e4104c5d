/** Notes that sessions are used, without anybody waiting for it, and not with every request: it is a write. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from '../context.ts'
import type { SessionRow } from '../features/sessions/store.ts'
import { keepSession } from '../features/sessions/writes.ts'
import { later } from '../lib/clock.ts'
import type { Dispatch } from './app.ts'
import { type Call, continueCall, toInnerCall } from './call.ts'
import { readSessionSecret, sessionCookie } from './session-cookie.ts'

const PAUSE_SECONDS_MAX = 300

/** Answers the headers with which the browser keeps its cookie as long as we keep the session; none when it is not time. */
export type KeepSession = (session: SessionRow, call: Call, headers: IncomingHttpHeaders) => Record<string, string>

export function openKeepSession(ctx: Context, dispatch: Dispatch): KeepSession {
  const pauseSeconds = Math.min(PAUSE_SECONDS_MAX, ctx.config.sessionSeconds / 10)
  /** What the writer was asked for and has not done yet. */
  const asked = new Set<string>()
  return (session, call, headers) => {
    const secret = readSessionSecret(headers)
    if (secret === null || asked.has(session.id) || later(session.last_seen_at, pauseSeconds) > ctx.now()) return {}
    asked.add(session.id)
    dispatch(keepSession, continueCall(call, toInnerCall(keepSession, { session_id: session.id })))
      .catch(error => ctx.log.warn({ err: error }, 'a session was not kept'))
      .finally(() => asked.delete(session.id))
    return sessionCookie({ config: ctx.config, sender: call.sender }, secret)
  }
}
