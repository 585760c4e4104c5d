import { allow, RetryLater } from '@postil/domain/errors'
import { canManageWebhooks } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { WithStatus } from '../../lib/answer.ts'
import { OutgoingError, post } from '../../lib/outgoing.ts'
import { API_VERSION } from '../../version.ts'
import { toBody } from './payload.ts'
import { secretsOf, toRequest } from './send.ts'
import { loadWebhook } from './store.ts'

/** Limit of concurrent pings: each keeps a connection and a request open for up to 20 seconds. */
const PINGS_MAX = 4
let running = 0

/**
 * Calls a webhook once, whether it is enabled or not. Every response of the target counts as success, because it shows that the
 * target can be reached.
 */
export async function pingWebhook(ctx: RequestContext, id: Id): Promise<undefined | WithStatus> {
  const row = await loadWebhook(ctx.db, id)
  allow(canManageWebhooks(ctx.actor))
  if (running >= PINGS_MAX) throw new RetryLater('unavailable', `${PINGS_MAX} pings are being sent already`, 5)
  running++
  try {
    // Clients identify the sender by this name.
    const body = toBody('ping', ctx.now(), { agent: 'argilla-server', version: API_VERSION })
    const request = toRequest(secretsOf(ctx.apiKeys, row, new Date()), row.url, body)
    await post(request, { allowPrivate: ctx.config.webhooksAllowPrivateAddresses })
    return undefined
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    // Existing clients expect this status.
    return new WithStatus(500, { detail: `The ping could not be delivered: ${error.message}` })
  } finally {
    running--
  }
}
