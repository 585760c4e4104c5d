import { Bitmap } from '../bitmap.ts'
import type { MergeSource } from '../segments/merge.ts'
import type { Segment } from '../segments/segment.ts'

/**
 * What a merge of segments, oldest first, takes from each: of every record the newest text, and only of records that exist. `existing` are
 * the numbers of these. Those that are found are removed from the set: it may be large, so that it is not copied.
 */
export function takeNewest(segments: readonly Segment[], existing: Set<number>): MergeSource[] {
  const newestFirst = segments.toReversed().map(segment => {
    const deleted = new Bitmap(segment.documents)
    const recordNos = segment.recordNos()
    for (let i = recordNos.length - 1; i >= 0; i--) if (!existing.delete(recordNos[i] as number)) deleted.set(i)
    return { segment, deleted }
  })
  return newestFirst.reverse()
}
