/** Keeps the connection of the bus: one that is lost is opened again, after pauses that grow. */
import type { Logger } from 'pino'
import { type BusConnection, connectBus } from './bus-connection.ts'

const RETRY_MS_MIN = 100
const RETRY_MS_MAX = 10_000
/** How often the connection is tried, so that one that is dead without a sign is noticed, and processes are counted. */
const LOOK_MS = 10_000

interface LinkOptions {
  url: string
  role: string
  log: Logger
  onNews(payload: string): void
  /** Connected; `hasMissed`: not for the first time, or later than asked, so that news may have been missed. */
  onUp(hasMissed: boolean): void
  onDown(): void
}

export function openLink(options: LinkOptions): Link {
  const { log } = options
  const ready = Promise.withResolvers<void>()
  const retry = openRetry(() => connect())
  let connection: BusConnection | null = null
  let processes = 1
  let hasMissed = false

  const lose = (lost: BusConnection | null, error: unknown) => {
    if (lost === null || lost !== connection) return
    log.warn({ err: error, retry_in_ms: retry.nextMs() }, 'the connection to the other processes is lost')
    connection = null
    hasMissed = true
    options.onDown()
    void lost.close()
    retry.plan()
  }
  const look = async () => {
    const current = connection
    try {
      processes = Math.max(1, (await current?.countProcesses()) ?? processes)
    } catch (error) {
      lose(current, error)
    }
  }
  const connect = async () => {
    try {
      await up(await connectBus({ ...options, onLost: error => lose(connection, error) }))
    } catch (error) {
      log.warn({ err: error, retry_in_ms: retry.nextMs() }, 'the other processes cannot be reached')
      hasMissed = true
      retry.plan()
    }
    ready.resolve()
  }
  const up = async (opened: BusConnection) => {
    if (retry.isClosed()) return opened.close()
    connection = opened
    await look()
    if (connection === null) return
    retry.reset()
    if (hasMissed) log.info('the other processes can be reached again')
    options.onUp(hasMissed)
    hasMissed = false
  }
  const looking = setInterval(() => void look(), LOOK_MS).unref()
  void connect()
  const notify = async (payloads: readonly string[]): Promise<void> => {
    const current = connection
    await current?.notify(payloads).catch((error: unknown) => lose(current, error))
  }
  const close = async () => {
    retry.close()
    clearInterval(looking)
    await connection?.close()
    connection = null
  }
  return { ready: ready.promise, processes: () => processes, notify, close }
}

interface Link {
  /** Resolves once it is connected, or the first attempt has failed. */
  ready: Promise<void>
  processes(): number
  /** Does not reject: a failure is a lost connection. */
  notify(payloads: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Runs `work` again after pauses that grow. */
function openRetry(work: () => Promise<void>) {
  let pauseMs = RETRY_MS_MIN
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  return {
    nextMs: () => pauseMs,
    isClosed: () => isClosed,
    plan: () => {
      if (isClosed) return
      timer = setTimeout(() => void work(), pauseMs).unref()
      pauseMs = Math.min(RETRY_MS_MAX, pauseMs * 2)
    },
    reset: () => {
      pauseMs = RETRY_MS_MIN
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
