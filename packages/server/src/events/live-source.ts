/** The way of live events from those who write to those who have a dataset open. */
import type { Id } from '@postil/domain/schema'
import type { LiveBatch } from './subscribers/live.ts'

export interface LiveSource {
  /** Says which datasets to tell of, all of them. */
  watch(datasetIds: Id[]): void
  listen(listener: (batch: LiveBatch) => void): void
}

/** No-op source, used when there is no writer thread. */
export const NOTHING_LIVE: LiveSource = { watch: () => {}, listen: () => {} }
