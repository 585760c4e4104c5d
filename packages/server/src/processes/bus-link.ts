/** Keeps the bus connected: reconnects after a lost connection, with exponential backoff. */
import type { Logger } from 'pino'
import { createOutage } from '../lib/outage.ts'
import { withCode } from '../storage/postgres-errors.ts'
import { type BusConnection, connectBus } from './bus-connection.ts'

const RETRY_MS_MIN = 100
const RETRY_MS_MAX = 10_000
/** Interval of the query that counts the processes and also detects a dead connection. */
const LOOK_MS = 10_000

interface LinkOptions {
  url: string
  role: string
  log: Logger
  onNews(payload: string): void
  /**
   * Called when connected. `hasMissed` is true after a reconnect or a failed first attempt, because messages may have been
   * missed.
   */
  onUp(hasMissed: boolean): void
  onDown(): void
}

export function openLink(options: LinkOptions): Link {
  const { log } = options
  const ready = Promise.withResolvers<void>()
  const retry = createRetry(() => connect())
  const reports = createReports(log, () => retry.nextMs())
  let connection: BusConnection | null = null
  let processes = 1
  let hasMissed = false

  const lose = (lost: BusConnection | null, error: unknown) => {
    if (lost === null || lost !== connection) return
    reports.write('the connection to the other processes is lost', error)
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
      reports.write('the other processes cannot be reached', error)
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
    reports.end()
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

function createReports(log: Logger, nextMs: () => number) {
  const outage = createOutage()
  return {
    write: (what: string, error: unknown) => {
      if (outage.fail()) log.warn({ reason: toReason(error), failures: outage.failures, retry_in_ms: nextMs() }, what)
    },
    end: () => {
      if (outage.end()) log.info('the other processes can be reached again')
    },
  }
}

/** Uses the first error if a host name has several addresses, because the `AggregateError` has no message. */
function toReason(error: unknown): string {
  const first = withCode(error)
  return first instanceof Error ? first.message : String(first)
}

interface Link {
  /** Resolves when it is connected or the first attempt has failed. */
  ready: Promise<void>
  processes(): number
  /** Never rejects: a failure is handled as a lost connection. */
  notify(payloads: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Repeats `work` with exponential backoff. */
function createRetry(work: () => Promise<void>) {
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
