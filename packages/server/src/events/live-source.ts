/** Source of live events: carries them from the writers to the followers of a dataset. */
import type { Id } from '@postil/domain/schema'
import type { LiveBatch } from './subscribers/live.ts'

export interface LiveSource {
  /** Replaces the set of watched datasets. */
  watch(datasetIds: Id[]): void
  listen(listener: (batch: LiveBatch) => void): void
}

/** No-op source, used in contexts without event streams, such as the command line. */
export const NO_LIVE_SOURCE: LiveSource = { watch: () => {}, listen: () => {} }
