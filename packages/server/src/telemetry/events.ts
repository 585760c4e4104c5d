/** Selects the requests that are reported and the data that is reported about them. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '@postil/domain/api/route'
import type { Reply } from '../http/call.ts'
import { reduceAcceptLanguage, reduceUserAgent } from './reduce.ts'
import type { TelemetryEvent } from './report.ts'

/** Task type of all datasets on this server. */
const TASK = 'feedback'

type ReportedReply = Pick<Reply, 'status' | 'code' | 'records'>

/** Returns null for requests that are not reported. */
export function toTelemetryEvent(
  { id, tag }: Pick<Route, 'id' | 'tag'>,
  headers: IncomingHttpHeaders,
  reply: ReportedReply,
): TelemetryEvent | null {
  const data = toEventData(id, tag, reply)
  if (data === null) return null
  return {
    ...data,
    user_agent: reduceUserAgent(headers['user-agent']),
    accept_language: reduceAcceptLanguage(headers['accept-language']),
  }
}

function toEventData(id: string, tag: string, { status, code, records }: ReportedReply) {
  if (status >= 400) return { event: 'error', code: code ?? 'internal', entity: tag } as const
  if (records !== undefined) return { event: 'bulk', task: TASK, records } as const
  if (id === 'getMe') return { event: 'me' } as const
  return id === 'createUser' ? ({ event: 'user' } as const) : null
}
