/**
 * The main thread's side of indexing in a search cluster: the indexer thread follows the logs of all datasets. If it dies, the
 * server continues, because searches also update the index; the thread is restarted after a pause.
 */
import type { Context } from '../context.ts'
import { Thread, type ThreadDied } from './thread.ts'

const RESTART_MS = 5_000
/** Debounce delay: writes within this time are indexed together. */
const DELAY_MS = 10

export interface Indexing {
  /** Called when something may have been committed. */
  wake(): void
  stop(): Promise<void>
}

const NO_INDEXING: Indexing = { wake: () => {}, stop: async () => {} }

/** Returns a no-op if the engine is embedded. */
export function openIndexing({ config, secrets, log }: Context): Indexing {
  if (config.elastic === null) return NO_INDEXING
  let thread: Thread | null = null
  let restart: NodeJS.Timeout | undefined
  let next: NodeJS.Timeout | undefined
  let isStopped = false

  const died = (error: ThreadDied) => {
    log.error({ err: error.cause, thread: error.role }, 'a thread ended')
    thread = null
    if (!isStopped) restart = setTimeout(open, RESTART_MS).unref()
  }
  const open = () => {
    thread = new Thread({ role: 'indexer', config, secrets }, { died })
  }
  open()
  return {
    wake: () => {
      next ??= setTimeout(() => {
        next = undefined
        thread?.tell({ kind: 'wake' })
      }, DELAY_MS).unref()
    },
    stop: async () => {
      isStopped = true
      clearTimeout(restart)
      clearTimeout(next)
      const closing = thread
      thread = null
      await closing?.close()
    },
  }
}
