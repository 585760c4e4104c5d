/** Where the words of a phrase stand together, from their positions in one field of one segment. */
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import type { Bitmap } from '../bitmap.ts'
import type { TermEntry } from './dictionary.ts'
import type { LiveSegment } from './live.ts'
import { countLong } from './long-phrase.ts'
import { countExact, countLoose, type Places } from './phrase-count.ts'
import { newPostings, type Positions, type Postings, readPositions } from './postings.ts'
import type { SegmentField } from './segment.ts'

export interface Phrase {
  tokens: readonly string[]
  /** How many moves are allowed. */
  slop: number
}

/** For so many words it is fastest to look for each at its place. */
const SHORT_PHRASE_MAX = 16

const NOTHING = newPostings(0)

/** The documents that hold the phrase, of several words, and still count, with the number of places where it stands. */
export function findPhrase(live: LiveSegment, field: number, phrase: Phrase): Postings {
  const segmentField = live.segment.fields[field]
  const entries = new Map<string, TermEntry>()
  for (const token of phrase.tokens) {
    const entry = entries.get(token) ?? segmentField?.find(token)
    if (!entry) return NOTHING
    entries.set(token, entry)
  }
  if (segmentField === undefined) return NOTHING
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

function withoutDeleted({ documents, count }: Postings, deleted: Bitmap | null): Uint32Array {
  const all = documents.subarray(0, count)
  return deleted === null ? all : all.filter(document => !deleted.has(document))
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
  const words = tokens.map(token => toCursor(positions.get(token) as Positions))
  const breakEntry = slop === 0 ? null : field.find(PIECE_BREAK)
  const breaks = breakEntry === null ? null : toCursor(positionsOf({ entry: breakEntry, postings: field.postings(breakEntry) }))
  const found = newPostings(documents.length)
  const starts: number[] = []
  const isLong = tokens.length > SHORT_PHRASE_MAX
  for (let i = 0; i < documents.length; i++) {
    for (const word of words) moveTo(word, i)
    if (breaks !== null) moveTo(breaks, i)
    const count = slop > 0 ? countLoose(words, slop, breaks) : isLong ? countLong(words) : countExact(words, starts)
    if (count === 0) continue
    found.documents[found.count] = documents[i] as number
    found.frequencies[found.count++] = count
  }
  return found
}

/** The places of a word in one candidate after the other: one object for all of them. */
interface PlacesCursor extends Places {
  starts: Uint32Array
}

const toCursor = ({ starts, places }: Positions): PlacesCursor => ({ starts, places, from: 0, to: 0 })

function moveTo(cursor: PlacesCursor, i: number): void {
  cursor.from = cursor.starts[i] as number
  cursor.to = cursor.starts[i + 1] as number
}
