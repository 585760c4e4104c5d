/** The way of a large body: first to the checker, which parses, checks and prepares it, then to the writer. */
import type { Call, Reply } from '../http/call.ts'
import type { CheckedCall } from '../http/check-call.ts'

/** Settings may change between the two. If that happens every time, the writer does all of the work. */
const CHECKED_TIMES_MAX = 3

export interface Stops {
  check(call: Call): Promise<CheckedCall>
  send(call: Call): Promise<Reply>
}

export async function checkFirst(call: Call, { check, send }: Stops): Promise<Reply> {
  let { body } = call
  for (let times = 0; times < CHECKED_TIMES_MAX; times++) {
    const outcome = await check({ ...call, body })
    if ('refusal' in outcome) return outcome.refusal
    const reply = await send({ ...call, ...outcome, body: null })
    if (!reply.again) return reply
    body = outcome.body
  }
  return send({ ...call, body })
}
