/**
 * Which text segments of a dataset to merge next.
 *
 * Only neighbours are merged: of several segments that hold a record, the newest has its text, so their order must stay. A merge is worth it
 * if what it makes is several times as large as the largest of its inputs. So a text is merged again only when its segment has grown, about
 * log8 of the dataset's size times.
 */
import type { StoredSegment } from '../../storage/text-segments.ts'

/** Fewer are merged only to fill a segment up. */
const INPUTS_MIN = 8
/** All inputs of a merge are open at once. */
const INPUTS_MAX = 64
const GROWTH_MIN = 3
/** A segment is one value in the database, read and written at once. */
const SIZE_MAX = 32 * 1024 * 1024
/** From this size on a segment is not merged any more. */
const FULL_SIZE = SIZE_MAX / 2
/** Sizes that never fit together could leave many small segments. Beyond this number they are merged even if they grow little. */
const SMALL_SEGMENTS_MAX = 32
/** What a merge needs for each record besides its text: short texts must not let the number of records grow without limit. */
const RECORD_SIZE = 128

/** `segments` are all of a dataset, oldest first. Returns neighbours, oldest first, or null if there is nothing to merge. */
export function findMerge(segments: readonly StoredSegment[]): StoredSegment[] | null {
  const sizes = segments.map(sizeOf)
  const isCrowded = sizes.filter(size => size < FULL_SIZE).length > SMALL_SEGMENTS_MAX
  let best = { start: 0, end: 0, cost: Number.POSITIVE_INFINITY }
  for (let start = 0; start < sizes.length; start++) {
    let [total, largest] = [0, 0]
    const endMax = Math.min(sizes.length, start + INPUTS_MAX)
    for (let end = start + 1; end <= endMax; end++) {
      const size = sizes[end - 1] as number
      total += size
      largest = Math.max(largest, size)
      if (size >= FULL_SIZE || total > SIZE_MAX) break
      const inputs = end - start
      const isWorth = inputs >= INPUTS_MIN && (isCrowded || total >= GROWTH_MIN * largest)
      // What is written for each segment less.
      const cost = total / (inputs - 1)
      if ((isWorth || total >= FULL_SIZE) && cost < best.cost) best = { start, end, cost }
    }
  }
  return best.end === 0 ? null : segments.slice(best.start, best.end)
}

const sizeOf = ({ byte_count, record_count }: StoredSegment) => Math.max(byte_count, record_count * RECORD_SIZE)
