/** Which requests are reported, and what of them. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '@postil/domain/api/route'
import type { Reply } from '../http/call.ts'
import { reduceAcceptLanguage, reduceUserAgent } from './reduce.ts'
import type { Moment } from './report.ts'

/** The kind of all datasets that this server has. */
const TASK = 'feedback'

type Told = Pick<Reply, 'status' | 'code' | 'records'>

/** Null for requests that are not reported. */
export function toMoment({ id, tag }: Pick<Route, 'id' | 'tag'>, headers: IncomingHttpHeaders, reply: Told): Moment | null {
  const what = toWhat(id, tag, reply)
  if (what === null) return null
  return {
    ...what,
    user_agent: reduceUserAgent(headers['user-agent']),
    accept_language: reduceAcceptLanguage(headers['accept-language']),
  }
}

function toWhat(id: string, tag: string, { status, code, records }: Told) {
  if (status >= 400) return { event: 'error', code: code ?? 'internal', entity: tag } as const
  if (records !== undefined) return { event: 'bulk', task: TASK, records } as const
  if (id === 'getMe') return { event: 'me' } as const
  return id === 'createUser' ? ({ event: 'user' } as const) : null
}
