/** The main thread's side of the thread for imports and exports. The thread is started on demand and ended when idle. */
import type { Context } from '../context.ts'
import type { HubResult, HubWork } from '../features/hub/work.ts'
import type { Call, Reply } from '../http/call.ts'
import { expectKind, type WorkerRequest, type WorkerResponse } from './messages.ts'
import { Thread, type ThreadDied } from './thread.ts'

/** Idle time after which the thread is ended to free its memory. */
const IDLE_MS = 60_000

export interface HubThread {
  ask(work: HubWork): Promise<HubResult>
  /** Runs a call of a route with `runs: 'apart'`. */
  call(call: Call): Promise<Reply>
  close(): Promise<void>
}

export function openHubThread({ config, secrets, log }: Context): HubThread {
  let thread: Thread | null = null
  let pending = 0
  let idle: NodeJS.Timeout | undefined
  let isClosed = false
  const died = (error: ThreadDied) => {
    log.error({ err: error.cause, thread: error.role }, 'a thread ended')
    thread = null
  }
  const end = async () => {
    clearTimeout(idle)
    const closing = thread
    thread = null
    await closing?.close()
  }
  const ask = async (message: WorkerRequest): Promise<WorkerResponse> => {
    if (isClosed) throw new Error('The server stops')
    thread ??= new Thread({ role: 'hub', config, secrets }, { died })
    clearTimeout(idle)
    pending++
    try {
      return await thread.ask(message)
    } finally {
      pending--
      if (pending === 0) idle = setTimeout(() => void end(), IDLE_MS).unref()
    }
  }
  return {
    ask: async work => expectKind(await ask({ kind: 'hub-work', work }), 'hub-work').result,
    call: async call => expectKind(await ask({ kind: 'call', urgent: false, call }), 'reply').reply,
    close: async () => {
      isClosed = true
      await end()
    },
  }
}
