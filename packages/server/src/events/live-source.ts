/** The way of live events from those who write to those who have a dataset open. */
import type { Id } from '@postil/domain/schema'
import type { LiveBatch } from './subscribers/live.ts'

export interface LiveSource {
  /** Says which datasets to tell of, all of them. */
  watch(datasetIds: Id[]): void
  listen(listener: (batch: LiveBatch) => void): void
}

/** For contexts without event streams, such as those of the command line. */
export const NOTHING_LIVE: LiveSource = { watch: () => {}, listen: () => {} }
