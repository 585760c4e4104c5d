/** Connects the threads of this process with the bus: what happens here is told to other processes, and what they tell reaches the threads. */
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Delivery } from '../features/webhooks/delivery.ts'
import type { Bus } from '../processes/bus.ts'
import type { Indexing } from './indexing.ts'
import type { Merging } from './merging.ts'
import type { Thread } from './thread.ts'

interface NewsParts {
  writer: Thread
  sending: Delivery
  /** If this process merges the texts that others have stored. */
  merging?: Merging
  indexing: Indexing
  /** For the event streams of this process. */
  tellLive?(batch: LiveBatch): void
}

export function hearNews(bus: Bus, { writer, sending, merging, indexing, tellLive = () => {} }: NewsParts): void {
  bus.listen(({ heads, notices, hasJobs, hasWebhooks, isLost }) => {
    if (hasJobs || isLost) writer.tell({ kind: 'wake' })
    if (hasWebhooks || isLost) sending.wake(true)
    // Every event that a webhook may want to know comes with a new head.
    else if (heads.size > 0) sending.wake()
    if (heads.size > 0 || isLost) {
      merging?.wake()
      indexing.wake()
    }
    tellLive({ heads, notices, ...(isLost && { isLost }) })
  })
}

/** What the writer says, for this process and for the others. */
export const tellNews =
  (bus: Bus, tellLive: (batch: LiveBatch) => void) =>
  (batch: LiveBatch): void => {
    tellLive(batch)
    bus.send({ heads: batch.heads, notices: batch.notices, hasJobs: batch.hasJobs ?? false })
  }
