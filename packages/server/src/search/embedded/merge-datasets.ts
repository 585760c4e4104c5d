/** Finds datasets whose text segments can be merged, and merges some of them. */
import type { Id } from '@postil/domain/schema'
import type { Database } from '../../storage/database.ts'
import { listSegmentCounts, type Replacement, type SegmentCount } from '../../storage/text-segments.ts'
import { mergeTexts, type Pause } from './merge-texts.ts'

export interface TextMerge {
  datasetId: Id
  replacement: Replacement
}

export interface Merges {
  /** Merges some segments of the next dataset, in round-robin order. Returns null if no dataset has anything to merge. */
  next(): Promise<TextMerge | null>
}

export function createMerges(db: Database, pause: Pause): Merges {
  /** Datasets without anything to merge, with the state in which this was determined. */
  const settled = new Map<Id, string>()
  let last: Id = ''

  async function listUnsettled(): Promise<SegmentCount[]> {
    const counts = await listSegmentCounts(db)
    const states = new Map(counts.map(count => [count.dataset_id, stateOf(count)]))
    for (const [id, state] of settled) if (states.get(id) !== state) settled.delete(id)
    return counts.filter(({ dataset_id }) => !settled.has(dataset_id))
  }

  async function merge(count: SegmentCount): Promise<TextMerge | null> {
    const datasetId = count.dataset_id
    last = datasetId
    // Set even if the merge fails, for example because of damaged bytes. Other datasets are then merged, and this one is retried
    // after it has changed.
    settled.set(datasetId, stateOf(count))
    const replacement = await mergeTexts(db, datasetId, pause)
    if (replacement === null) return null
    settled.delete(datasetId)
    return { datasetId, replacement }
  }

  return {
    next: async () => {
      const unsettled = await listUnsettled()
      const next = unsettled.findIndex(({ dataset_id }) => dataset_id > last)
      for (const count of [...unsettled.slice(Math.max(0, next)), ...unsettled.slice(0, Math.max(0, next))]) {
        const merged = await merge(count)
        if (merged !== null) return merged
      }
      return null
    },
  }
}

/** Changes whenever a segment is written or merged. */
const stateOf = ({ segment_count, last_segment_no }: SegmentCount) => `${segment_count} ${last_segment_no}`
