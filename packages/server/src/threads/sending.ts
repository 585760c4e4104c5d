/**
 * The main thread's side of webhook deliveries: the writer selects the deliveries and stores their outcomes, and the sender
 * thread sends them. The sender thread is started on demand. If it dies, the server continues, and the next delivery starts a new
 * thread.
 */
import type { Context } from '../context.ts'
import { type Delivery, openDelivery } from '../features/webhooks/delivery.ts'
import { listWebhooks } from '../features/webhooks/store.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { expectKind, type WorkerRequest, type WorkerResponse } from './messages.ts'
import { Thread, type ThreadDied } from './thread.ts'

/** Idle time after which the thread is ended to free its memory. */
const IDLE_MS = 60_000

export function openSending(ctx: Context, writer: Thread, metrics?: Metrics): Delivery {
  const sender = openSender(ctx)
  const delivery = openDelivery({
    process: ctx.newId(),
    exchange: async input => expectKind(await writer.ask({ kind: 'exchange', input }), 'exchanged').exchanged,
    send: async task => {
      const { outcome } = expectKind(await sender.ask({ kind: 'send', task }), 'sent')
      if (outcome.kind === 'answered') metrics?.noteWebhookRequest(outcome.status < 300 ? 'answered' : 'refused')
      else if (outcome.kind === 'failed') metrics?.noteWebhookRequest('failed')
      return outcome
    },
    listOverfull: async () => {
      if ((await listWebhooks(ctx.db)).length === 0) return []
      return expectKind(await sender.ask({ kind: 'overfull' }), 'overfull').webhooks
    },
    now: ctx.now,
    log: ctx.log,
    isShared: ctx.config.databaseUrl !== null,
  })
  return {
    wake: delivery.wake,
    stop: async () => {
      await delivery.stop()
      await sender.close()
    },
  }
}

function openSender({ config, secrets, log }: Context) {
  let thread: Thread | null = null
  let pending = 0
  let idle: NodeJS.Timeout | undefined
  const died = (error: ThreadDied) => {
    log.error({ err: error.cause, thread: error.role }, 'a thread ended')
    thread = null
  }
  const close = async () => {
    clearTimeout(idle)
    const closing = thread
    thread = null
    await closing?.close()
  }
  return {
    ask: async (request: WorkerRequest): Promise<WorkerResponse> => {
      thread ??= new Thread({ role: 'sender', config, secrets }, { died })
      clearTimeout(idle)
      pending++
      try {
        return await thread.ask(request)
      } finally {
        pending--
        if (pending === 0) idle = setTimeout(() => void close(), IDLE_MS).unref()
      }
    },
    close,
  }
}
