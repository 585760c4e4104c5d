/**
 * Tells the other processes on the same PostgreSQL database what happened in this one, with NOTIFY, and hears what they tell.
 *
 * One connection of its own serves both. It is sent after the commit and collected first, because a transaction with NOTIFY takes a
 * lock that all of them share. Nothing depends on it: whoever listens also looks for itself now and then. While the connection is lost
 * news are not kept; once it is back, this process and all others are told that anything may have happened.
 */
import type { Logger } from 'pino'
import { openLink } from './bus-link.ts'
import { addNews, type BusNews, isEmpty, noNews, packNews, unpackNews } from './bus-messages.ts'

export interface Bus {
  /** Tells all other processes, within a few milliseconds. */
  send(news: Partial<BusNews>): void
  /** `listener` gets what other processes tell. */
  listen(listener: (news: BusNews) => void): void
  /** How many processes with the same role use the database, this one included; 1 while it is not known. */
  processes(): number
  /** Resolves once it is connected, or the first attempt has failed. */
  ready: Promise<void>
  close(): Promise<void>
}

/** For a database that one process uses. */
export const NO_BUS: Bus = {
  send: () => {},
  listen: () => {},
  processes: () => 1,
  ready: Promise.resolve(),
  close: async () => {},
}

export interface BusOptions {
  url: string
  /** Servers are counted apart from workers. */
  role: 'server' | 'worker'
  log: Logger
}

/** How long news are collected. */
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
      tell({ ...noNews(), isLost: true })
    },
    onDown: () => outbox.pause(),
  })
  const outbox = openOutbox(link.notify)
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

/** Collects news and sends them, one statement at a time. */
function openOutbox(notify: (payloads: string[]) => Promise<void>) {
  let news = noNews()
  let isPaused = true
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null

  const flush = async () => {
    timer = null
    const payloads = packNews(news)
    news = noNews()
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
      // Others are told to look once the connection is back: there is nothing to keep.
      if (isPaused) return
      addNews(news, more)
      plan()
    },
    pause: () => {
      isPaused = true
      clearTimeout(timer ?? undefined)
      timer = null
      news = noNews()
    },
    resume: () => {
      isPaused = false
    },
    /** Sends what is left. */
    close: async () => {
      clearTimeout(timer ?? undefined)
      await sending
      if (!isPaused && !isEmpty(news)) await flush()
      isPaused = true
    },
  }
}
