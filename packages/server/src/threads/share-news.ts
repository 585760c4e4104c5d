/**
 * Connects the threads of this process with the bus: forwards their messages to other processes, and messages of other processes
 * to them.
 */
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Delivery } from '../features/webhooks/delivery.ts'
import type { Bus } from '../processes/bus.ts'
import type { HubJobs } from './hub-jobs.ts'
import type { Indexing } from './indexing.ts'
import type { Merging } from './merging.ts'
import type { Thread } from './thread.ts'

interface NewsReceivers {
  writer: Thread
  sending: Delivery
  /** Set if this process merges texts that other processes have stored. */
  merging?: Merging
  indexing: Indexing
  hubJobs: HubJobs
  /** Receives batches for the event streams of this process. */
  tellLive?(batch: LiveBatch): void
}

export function receiveNews(bus: Bus, { writer, sending, merging, indexing, hubJobs, tellLive = () => {} }: NewsReceivers): void {
  bus.listen(({ heads, notices, hasJobs, hasWebhooks, isLost }) => {
    if (hasJobs || isLost) {
      writer.tell({ kind: 'wake' })
      hubJobs.wake()
    }
    if (hasWebhooks || isLost) sending.wake(true)
    // Every event for webhooks comes with a new head.
    else if (heads.size > 0) sending.wake()
    if (heads.size > 0 || isLost) {
      merging?.wake()
      indexing.wake()
    }
    tellLive({ heads, notices, ...(isLost && { isLost }) })
  })
}

/** Returns a listener that forwards batches of the writer to this process and to the others. */
export const sendNews =
  (bus: Bus, tellLive: (batch: LiveBatch) => void) =>
  (batch: LiveBatch): void => {
    tellLive(batch)
    bus.send({ heads: batch.heads, notices: batch.notices, hasJobs: batch.hasJobs ?? false })
  }
