/** Where the words of a phrase stand together, from their positions in one field of one segment. */
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import { hasBit } from './bits.ts'
import type { TermEntry } from './dictionary.ts'
import { keepLive, type LiveSegment } from './live.ts'
import { countExact, countLoose } from './phrase-count.ts'
import { newPostings, type Positions, type Postings, readPositions } from './postings.ts'
import type { SegmentField } from './segment.ts'

export interface Phrase {
  tokens: readonly string[]
  /** How many moves are allowed. */
  slop: number
}

const NOTHING = newPostings(0)

/** The documents that hold the phrase and still count, with the number of places where it stands. */
export function findPhrase(live: LiveSegment, field: number, phrase: Phrase): Postings {
  const segmentField = live.segment.fields[field]
  const entries = new Map<string, TermEntry>()
  for (const token of phrase.tokens) {
    const entry = entries.get(token) ?? segmentField?.find(token)
    if (!entry) return NOTHING
    entries.set(token, entry)
  }
  if (segmentField === undefined) return NOTHING
  const [token = ''] = phrase.tokens
  const only = entries.get(token)
  if (phrase.tokens.length === 1 && only !== undefined) return keepLive(live, segmentField.postings(only))
  return keepWithPhrase(findCandidates(live, segmentField, entries), segmentField, phrase)
}

interface Term {
  entry: TermEntry
  postings: Postings
}

interface Candidates {
  /** Documents that hold all tokens, wherever these stand. */
  documents: Uint32Array
  terms: Map<string, Term>
}

function findCandidates({ deleted }: LiveSegment, field: SegmentField, entries: ReadonlyMap<string, TermEntry>): Candidates {
  const terms = new Map<string, Term>()
  let documents: Uint32Array | null = null
  // The rarest first, so that there are few candidates from the start.
  for (const [token, entry] of [...entries].sort(([, a], [, b]) => a.documents - b.documents)) {
    const postings = field.postings(entry)
    terms.set(token, { entry, postings })
    documents = documents === null ? withoutDeleted(postings, deleted) : intersect(documents, postings)
    if (documents.length === 0) break
  }
  return { documents: documents ?? new Uint32Array(0), terms }
}

function withoutDeleted({ documents, count }: Postings, deleted: Uint32Array | null): Uint32Array {
  const all = documents.subarray(0, count)
  return deleted === null ? all : all.filter(document => !hasBit(deleted, document))
}

function intersect(candidates: Uint32Array, postings: Postings): Uint32Array {
  const found = indexesOf(candidates, postings)
  return candidates.filter((_, i) => (found[i] as number) >= 0)
}

/** For each candidate its index in the postings, or -1. */
function indexesOf(candidates: Uint32Array, { documents, count }: Postings): Int32Array {
  const indexes = new Int32Array(candidates.length)
  let at = 0
  for (let i = 0; i < candidates.length; i++) {
    const candidate = candidates[i] as number
    while (at < count && (documents[at] as number) < candidate) at++
    indexes[i] = at < count && documents[at] === candidate ? at : -1
  }
  return indexes
}

function keepWithPhrase({ documents, terms }: Candidates, field: SegmentField, { tokens, slop }: Phrase): Postings {
  if (documents.length === 0) return NOTHING
  const positionsOf = ({ entry, postings }: Term) => readPositions(field.bytes, entry, postings, indexesOf(documents, postings))
  const positions = new Map(Array.from(terms, ([token, term]) => [token, positionsOf(term)]))
  const words = tokens.map(token => positions.get(token) as Positions)
  const found = newPostings(documents.length)
  const breakEntry = slop === 0 ? null : field.find(PIECE_BREAK)
  const breaks = breakEntry === null ? null : positionsOf({ entry: breakEntry, postings: field.postings(breakEntry) })
  for (let i = 0; i < documents.length; i++) {
    const places = words.map(word => placesIn(word, i))
    const count = slop === 0 ? countExact(places) : countLoose(places, slop, breaks === null ? null : placesIn(breaks, i))
    if (count === 0) continue
    found.documents[found.count] = documents[i] as number
    found.frequencies[found.count++] = count
  }
  return found
}

function placesIn({ starts, places }: Positions, i: number): Uint32Array {
  return places.subarray(starts[i] as number, starts[i + 1] as number)
}
