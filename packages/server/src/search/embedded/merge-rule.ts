/**
 * Selects the text segments of a dataset to merge next.
 *
 * Only adjacent segments are merged: if several segments contain a record, the newest has its text, so the order of segments must
 * be preserved. A merge is worthwhile if its result is several times as large as its largest input. A text is therefore merged
 * again only after its segment has grown, about log8 of the dataset's size times.
 */
import type { StoredSegment } from '../../storage/text-segments.ts'

/** Fewer segments are merged only if the result is a full segment. */
const INPUTS_MIN = 8
/** Limited because all inputs of a merge are open at the same time. */
const INPUTS_MAX = 64
const GROWTH_MIN = 3
/** A segment is a single value in the database, which is read and written as a whole. */
const SIZE_MAX = 32 * 1024 * 1024
/** Segments of at least this size are not merged again. */
const FULL_SIZE = SIZE_MAX / 2
/**
 * Limit of small segments, which could accumulate if their sizes never fit together. Above it, they are merged even if they grow
 * little.
 */
const SMALL_SEGMENTS_MAX = 32
/**
 * Minimum size per record, for the memory that a merge needs in addition to the text. Limits the number of records per segment if
 * texts are short.
 */
const RECORD_SIZE = 128

/**
 * `segments` has all segments of a dataset, oldest first. Returns adjacent segments, oldest first, or null if there is nothing to
 * merge.
 */
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
      // Bytes written per segment that the merge removes.
      const cost = total / (inputs - 1)
      if ((isWorth || total >= FULL_SIZE) && cost < best.cost) best = { start, end, cost }
    }
  }
  return best.end === 0 ? null : segments.slice(best.start, best.end)
}

const sizeOf = ({ byte_count, record_count }: StoredSegment) => Math.max(byte_count, record_count * RECORD_SIZE)
