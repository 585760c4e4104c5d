/**
 * Message bus between the processes on one PostgreSQL database, with LISTEN and NOTIFY.
 *
 * One dedicated connection serves both directions. Messages are batched and sent after the commit, because a transaction with
 * NOTIFY takes a lock that all such transactions share. Delivery is best effort: listeners also poll. While the connection is
 * lost, messages are discarded; after a reconnect, this process and all others receive `isLost`.
 */
import type { Logger } from 'pino'
import { openLink } from './bus-link.ts'
import { addNews, type BusNews, emptyNews, isEmpty, packNews, unpackNews } from './bus-messages.ts'

export interface Bus {
  /** Notifies all other processes within a few milliseconds. */
  send(news: Partial<BusNews>): void
  /** Registers a listener for messages from other processes. */
  listen(listener: (news: BusNews) => void): void
  /** Number of processes with the same role on the database, including this one; 1 until the first count. */
  processes(): number
  /** Resolves when it is connected or the first attempt has failed. */
  ready: Promise<void>
  close(): Promise<void>
}

/** No-op bus, used with SQLite, where there is only one process. */
export const NO_BUS: Bus = {
  send: () => {},
  listen: () => {},
  processes: () => 1,
  ready: Promise.resolve(),
  close: async () => {},
}

export interface BusOptions {
  url: string
  /** Servers and workers are counted separately. */
  role: 'server' | 'worker'
  log: Logger
}

/** How long messages are batched. */
const COLLECT_MS = 10

export function openBus({ url, role, log }: BusOptions): Bus {
  const listeners: ((news: BusNews) => void)[] = []
  const tell = (news: BusNews) => {
    for (const listener of listeners) {
      try {
        listener(news)
      } catch (error) {
        log.error({ err: error }, 'news of another process were not handled')
      }
    }
  }
  const link = openLink({
    url,
    role,
    log,
    onNews: payload => tell(unpackNews(payload)),
    onUp: hasMissed => {
      outbox.resume()
      if (!hasMissed) return
      outbox.add({ isLost: true })
      tell({ ...emptyNews(), isLost: true })
    },
    onDown: () => outbox.pause(),
  })
  const outbox = createOutbox(link.notify)
  return {
    send: outbox.add,
    listen: listener => void listeners.push(listener),
    processes: link.processes,
    ready: link.ready,
    close: async () => {
      await outbox.close()
      await link.close()
    },
  }
}

/** Batches messages and sends them, one statement at a time. */
function createOutbox(notify: (payloads: string[]) => Promise<void>) {
  let news = emptyNews()
  let isPaused = true
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null

  const flush = async () => {
    timer = null
    const payloads = packNews(news)
    news = emptyNews()
    sending = notify(payloads)
    await sending
    sending = null
    plan()
  }
  const plan = () => {
    if (isPaused || timer !== null || sending !== null || isEmpty(news)) return
    timer = setTimeout(() => void flush(), COLLECT_MS).unref()
  }
  return {
    add: (more: Partial<BusNews>) => {
      // Discards the message, because other processes receive `isLost` after the reconnect.
      if (isPaused) return
      addNews(news, more)
      plan()
    },
    pause: () => {
      isPaused = true
      clearTimeout(timer ?? undefined)
      timer = null
      news = emptyNews()
    },
    resume: () => {
      isPaused = false
    },
    /** Sends pending messages first. */
    close: async () => {
      clearTimeout(timer ?? undefined)
      await sending
      if (!isPaused && !isEmpty(news)) await flush()
      isPaused = true
    },
  }
}
