/**
 * Background process without HTTP: runs jobs, delivers webhooks, merges text segments or keeps a search cluster up to date, and
 * prunes. Several can share a PostgreSQL database.
 */
import type { Config } from '../config.ts'
import type { Secrets } from '../lib/secrets.ts'
import { openContext } from '../open-context.ts'
import { openHubJobs } from '../threads/hub-jobs.ts'
import { openHubThread } from '../threads/hub-thread.ts'
import { openIndexing } from '../threads/indexing.ts'
import { openMerging } from '../threads/merging.ts'
import { openSending } from '../threads/sending.ts'
import { receiveNews, sendNews } from '../threads/share-news.ts'
import { Thread, type ThreadDied } from '../threads/thread.ts'
import { openBusOf } from './open-processes.ts'

export interface BackgroundProcess {
  /** Finishes the running step, then stops; other processes continue the remaining work. */
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
  const live = sendNews(bus, indexing.wake)
  const writer = new Thread({ role: 'writer', config, secrets }, { died, live, webhookEvents: () => sending.wake() })
  const merging = openMerging(ctx, writer)
  const sending = openSending(ctx, writer)
  const hubJobs = openHubJobs(ctx, writer, openHubThread(ctx))
  receiveNews(bus, { writer, sending, merging, indexing, hubJobs })
  const close = async () => {
    await sending.stop()
    await hubJobs.stop()
    await merging.stop()
    await indexing.stop()
    await writer.close()
    await bus.close()
    await ctx.db.close()
  }
  try {
    await Promise.all([writer.ready, bus.ready])
  } catch (error) {
    // A running thread would keep the process alive.
    await close()
    throw error
  }
  // Starts with work that other processes left.
  sending.wake(true)
  merging.wake()
  hubJobs.wake()
  return { close }
}
