/** What one word, phrase, prefix or fuzzy word finds and contributes to the scores. */
import type { TextQueryLeaf } from '@postil/domain/search/text-query'
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import { intersectBits, listBits, newBits, uniteBits } from './bits.ts'
import { compareUnits, type TermCursor, type TermEntry } from './dictionary.ts'
import { visitNear } from './fuzzy.ts'
import { keepLive, type LiveSegment, markOrdinals } from './live.ts'
import { findPhrase, type Phrase } from './phrase.ts'
import { newPostings, readPostings, reserve } from './postings.ts'
import { addScores, type SegmentHits } from './score.ts'

export interface LeafSearch {
  segments: readonly LiveSegment[]
  /** How many ordinals there are. */
  size: number
  /** The fields to look into. */
  fields: readonly number[]
}

/** The ordinals that a leaf finds, as a bitmap. Adds to `scores` unless they are null. */
export function findLeaf(search: LeafSearch, leaf: TextQueryLeaf, scores: Float64Array | null): Uint32Array {
  switch (leaf.kind) {
    case 'word':
      return findRuns(
        search,
        leaf.runs.map(tokens => ({ tokens, slop: 0 })),
        scores,
      )
    case 'phrase':
      return findRuns(search, [leaf], scores)
    case 'prefix':
      return findPrefix(search, leaf.start, scores)
    case 'fuzzy':
      return findFuzzy(search, leaf, scores)
  }
}

/** All phrases stand in the same field. */
function findRuns(search: LeafSearch, phrases: readonly Phrase[], scores: Float64Array | null): Uint32Array {
  const found = newBits(search.size)
  for (const field of search.fields) {
    let inField: Uint32Array | null = null
    for (const phrase of phrases) {
      const hits = search.segments.map(live => ({ live, postings: findPhrase(live, field, phrase) }))
      if (scores !== null) addScores({ segments: search.segments, scores }, field, hits, 1)
      // One phrase needs no bitmap of its own.
      const bits = phrases.length === 1 ? found : newBits(search.size)
      for (const { live, postings } of hits) markOrdinals(live, postings, bits)
      if (inField === null) inField = bits
      else intersectBits(inField, bits)
    }
    if (inField !== null && inField !== found) uniteBits(found, inField)
  }
  return found
}

/** A record that has such a word scores 1, no matter how many. */
function findPrefix({ segments, size, fields }: LeafSearch, start: string, scores: Float64Array | null): Uint32Array {
  const found = newBits(size)
  const postings = newPostings(1024)
  for (const live of segments) {
    for (const field of fields) {
      const cursor = live.segment.fields[field]?.cursor()
      if (cursor === undefined || !cursor.seek(start) || !startsWith(cursor, start)) continue
      do {
        if (compareUnits(cursor.units, cursor.length, PIECE_BREAK) === 0) continue
        reserve(postings, cursor.documents)
        markOrdinals(live, keepLive(live, readPostings(live.segment.bytes, cursor, postings)), found)
      } while (cursor.next() && cursor.shared >= start.length)
    }
  }
  if (scores !== null) for (const ordinal of listBits(found)) scores[ordinal] = (scores[ordinal] as number) + 1
  return found
}

function startsWith({ units, length }: TermCursor, start: string): boolean {
  return length >= start.length && compareUnits(units, start.length, start) === 0
}

/** A term near the wanted one, and where it is. */
interface NearTerm {
  term: string
  distance: number
  entries: { live: LiveSegment; entry: TermEntry }[]
}

/** Every term that is near enough counts like a word, the less the farther it is from the wanted one. */
function findFuzzy(search: LeafSearch, leaf: { token: string; distance: number }, scores: Float64Array | null): Uint32Array {
  const found = newBits(search.size)
  for (const field of search.fields) {
    for (const { term, distance, entries } of listNear(search.segments, field, leaf)) {
      const hits = entries.flatMap(({ live, entry }): SegmentHits[] => {
        const postings = live.segment.fields[field]?.postings(entry)
        return postings === undefined ? [] : [{ live, postings: keepLive(live, postings) }]
      })
      for (const { live, postings } of hits) markOrdinals(live, postings, found)
      if (scores === null) continue
      const shorter = Math.min([...term].length, [...leaf.token].length)
      addScores({ segments: search.segments, scores }, field, hits, Math.max(0, 1 - distance / shorter))
    }
  }
  return found
}

/** In the order of the terms, so that the sum of their shares does not depend on how the segments are cut, not even by rounding. */
function listNear(segments: readonly LiveSegment[], field: number, leaf: { token: string; distance: number }): NearTerm[] {
  const near = new Map<string, NearTerm>()
  for (const live of segments) {
    const cursor = live.segment.fields[field]?.cursor()
    if (cursor === undefined) continue
    visitNear(cursor, leaf, (at, distance) => {
      const term = at.term()
      const known = near.get(term) ?? { term, distance, entries: [] }
      known.entries.push({ live, entry: at.entry() })
      near.set(term, known)
    })
  }
  return [...near.values()].sort((a, b) => (a.term < b.term ? -1 : 1))
}
