import { Bitmap } from '../bitmap.ts'
import type { MergeSource } from '../segments/merge.ts'
import type { Segment } from '../segments/segment.ts'

/**
 * Returns the inputs of a merge of segments, oldest first. Only the newest text of each existing record is merged. `existing` has
 * the numbers of these records. The function removes them from the set instead of copying it, because it may be large.
 */
export function toMergeSources(segments: readonly Segment[], existing: Set<number>): MergeSource[] {
  const newestFirst = segments.toReversed().map(segment => {
    const deleted = new Bitmap(segment.documents)
    const recordNos = segment.recordNos()
    for (let i = recordNos.length - 1; i >= 0; i--) if (!existing.delete(recordNos[i] as number)) deleted.set(i)
    return { segment, deleted }
  })
  return newestFirst.reverse()
}
