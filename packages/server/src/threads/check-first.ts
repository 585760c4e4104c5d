/** Sends a large body to the checker first, which parses, checks and prepares it, and then to the writer. */
import type { Call, Reply } from '../http/call.ts'
import type { CheckedCall } from '../http/check-call.ts'

/** Settings may change between check and write. If they do on every attempt, the writer processes the body itself. */
const CHECKED_TIMES_MAX = 3

export interface CheckSteps {
  check(call: Call): Promise<CheckedCall>
  send(call: Call): Promise<Reply>
}

export async function checkFirst(call: Call, { check, send }: CheckSteps): Promise<Reply> {
  let { body } = call
  for (let times = 0; times < CHECKED_TIMES_MAX; times++) {
    const outcome = await check({ ...call, body })
    if ('refusal' in outcome) return outcome.refusal
    const reply = await send({ ...call, ...outcome, body: null })
    if (!reply.needsPrepare) return reply
    body = outcome.body
  }
  return send({ ...call, body })
}
