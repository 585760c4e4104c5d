/**
 * Relevance, as BM25 with k1 = 1.2 and b = 0.75.
 *
 * The score of a word in a field is `2.2 · idf · tf / (tf + 1.2 · (0.25 + 0.75 · length / average length))` with
 * `idf = ln(1 + (N - n + 0.5) / (n + 0.5))`. N counts all documents, also those without the field. The average length is
 * that of the documents that have words in the field. The score of a record is the sum over all words and fields.
 */
import type { Bitmap } from '../bitmap.ts'
import type { LiveSegment } from './live.ts'
import type { Postings } from './postings.ts'

export interface Scored {
  /** The only records whose scores are wanted. */
  matches: Bitmap
  /** By ordinal. */
  scores: Float64Array
}

/** What a word or phrase finds in one segment. */
export interface SegmentHits {
  live: LiveSegment
  count(): number
  /** Valid until those of other hits are read. */
  read(): Postings
}

/** How much a word counts in a field. */
export interface Share {
  field: number
  factor: number
}

const K1 = 1.2
const B = 0.75

/** Adds what a word or phrase contributes to the score of each match that holds it in this field. */
export function addScores(
  segments: readonly LiveSegment[],
  scored: Scored,
  { field, factor }: Share,
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
  { matches: { words }, scores }: Scored,
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
