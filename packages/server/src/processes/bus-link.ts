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

export function openLink(options: LinkOptions) {
  const { log } = options
  const ready = Promise.withResolvers<void>()
  let connection: BusConnection | null = null
  let processes = 1
  let retryMs = RETRY_MS_MIN
  let isClosed = false
  let hasMissed = false
  let retry: NodeJS.Timeout | undefined

  const connectLater = () => {
    if (isClosed) return
    hasMissed = true
    retry = setTimeout(() => void connect(), retryMs).unref()
    retryMs = Math.min(RETRY_MS_MAX, retryMs * 2)
  }
  const lose = (lost: BusConnection | null, error: unknown) => {
    if (lost === null || lost !== connection) return
    log.warn({ err: error, retry_in_ms: retryMs }, 'the connection to the other processes is lost')
    connection = null
    options.onDown()
    void lost.close()
    connectLater()
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
      log.warn({ err: error, retry_in_ms: retryMs }, 'the other processes cannot be reached')
      connectLater()
    }
    ready.resolve()
  }
  const up = async (opened: BusConnection) => {
    if (isClosed) return opened.close()
    connection = opened
    await look()
    if (connection === null) return
    retryMs = RETRY_MS_MIN
    if (hasMissed) log.info('the other processes can be reached again')
    options.onUp(hasMissed)
    hasMissed = false
  }
  const looking = setInterval(() => void look(), LOOK_MS).unref()
  void connect()
  return {
    /** Resolves once it is connected, or the first attempt has failed. */
    ready: ready.promise,
    processes: () => processes,
    /** Does not reject: a failure is a lost connection. */
    notify: async (payloads: readonly string[]): Promise<void> => {
      const current = connection
      await current?.notify(payloads).catch((error: unknown) => lose(current, error))
    },
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      clearInterval(looking)
      await connection?.close()
      connection = null
    },
  }
}
