/** A process without HTTP: it runs jobs, delivers to webhooks, merges text segments or keeps a search cluster up to date, and prunes. Several can share a PostgreSQL database. */
import type { Config } from '../config.ts'
import type { Secrets } from '../lib/secrets.ts'
import { openContext } from '../open-context.ts'
import { openIndexing } from '../threads/indexing.ts'
import { openMerging } from '../threads/merging.ts'
import { openSending } from '../threads/sending.ts'
import { hearNews, tellNews } from '../threads/share-news.ts'
import { Thread, type ThreadDied } from '../threads/thread.ts'
import { openBusOf } from './open-processes.ts'

export interface BackgroundProcess {
  /** Finishes what is running, then stops; the rest of a job is left to others. */
  close(): Promise<void>
}

export async function runBackground(
  config: Config,
  secrets: Secrets,
  onFailure: (error: Error) => void,
): Promise<BackgroundProcess> {
  const ctx = openContext({ config, secrets, user: 'main', readonly: true, cacheMb: 4 })
  const bus = openBusOf(config, 'worker', ctx.log)
  const died = (error: ThreadDied) => {
    ctx.log.fatal({ err: error.cause, thread: error.role }, 'a thread ended')
    onFailure(error)
  }
  const indexing = openIndexing(ctx)
  const live = tellNews(bus, indexing.wake)
  const writer = new Thread({ role: 'writer', config, secrets }, { died, live, webhookEvents: () => sending.wake() })
  const merging = openMerging(ctx, writer)
  const sending = openSending(ctx, writer)
  hearNews(bus, { writer, sending, merging, indexing })
  const close = async () => {
    await sending.stop()
    await merging.stop()
    await indexing.stop()
    await writer.close()
    await bus.close()
    await ctx.db.close()
  }
  try {
    await Promise.all([writer.ready, bus.ready])
  } catch (error) {
    // A thread that runs would keep the process alive.
    await close()
    throw error
  }
  // What others left.
  sending.wake(true)
  merging.wake()
  return { close }
}
