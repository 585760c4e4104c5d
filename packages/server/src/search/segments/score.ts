/**
 * Relevance by BM25 with k1 = 1.2 and b = 0.75.
 *
 * The score of a word in a field is `2.2 · idf · tf / (tf + 1.2 · (0.25 + 0.75 · length / average length))` with
 * `idf = ln(1 + (N - n + 0.5) / (n + 0.5))`. N is the number of all documents, including those without the field. The average
 * length is that of the documents that have words in the field. The score of a record is the sum over all words and fields.
 */
import type { Bitmap } from '../bitmap.ts'
import type { LiveSegment } from './live.ts'
import type { Postings } from './postings.ts'

export interface ScoreTarget {
  /** The only records that are scored. */
  matches: Bitmap
  /** Scores by ordinal. */
  scores: Float64Array
}

/** The matches of a word or phrase in one segment. */
export interface SegmentHits {
  live: LiveSegment
  count(): number
  /** Returns postings that are valid until those of other hits are read. */
  read(): Postings
}

/** Weight of a word in a field. */
export interface FieldWeight {
  field: number
  factor: number
}

const K1 = 1.2
const B = 0.75

/** Adds the score of a word or phrase in this field to each match that contains it. */
export function addScores(
  segments: readonly LiveSegment[],
  scored: ScoreTarget,
  { field, factor }: FieldWeight,
  hits: readonly SegmentHits[],
): void {
  const total = (of: (live: LiveSegment) => number) => segments.reduce((sum, live) => sum + of(live), 0)
  const documents = total(live => live.documents)
  const holding = hits.reduce((sum, hit) => sum + hit.count(), 0)
  const words = total(live => live.fields[field]?.words ?? 0)
  const average = words / total(live => live.fields[field]?.holders ?? 0)
  const idf = Math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
  const weight = factor * (K1 + 1) * idf
  for (const hit of hits) addSegmentScores(scored, hit.live, hit.read(), { field, weight, average })
}

function addSegmentScores(
  { matches: { words }, scores }: ScoreTarget,
  { segment, ordinals }: LiveSegment,
  { documents, frequencies, count }: Postings,
  { field, weight, average }: { field: number; weight: number; average: number },
): void {
  if (count === 0) return
  const lengths = segment.fields[field]?.lengths() ?? new Uint32Array(segment.documents)
  const fixed = K1 * (1 - B)
  const perWord = (K1 * B) / average
  for (let i = 0; i < count; i++) {
    const document = documents[i] as number
    const ordinal = ordinals[document] as number
    if ((((words[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1) === 0) continue
    const frequency = frequencies[i] as number
    const share = (weight * frequency) / (frequency + fixed + perWord * (lengths[document] as number))
    scores[ordinal] = (scores[ordinal] as number) + share
  }
}
