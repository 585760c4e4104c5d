/** Where the words of a phrase stand together, from their positions in one field of one segment. */
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import type { TermEntry } from './dictionary.ts'
import { DocumentCursor, Stamps } from './document-cursor.ts'
import type { LiveSegment } from './live.ts'
import { countLong } from './long-phrase.ts'
import { countLoose } from './phrase-count.ts'
import { addPosting, newPostings, type Postings } from './postings.ts'
import type { SegmentField } from './segment.ts'

export interface Phrase {
  tokens: readonly string[]
  /** How many moves are allowed. */
  slop: number
}

/** For so many words it is fastest to look for each at its place. */
const SHORT_PHRASE_MAX = 16

/** The documents that hold the phrase, of several words, and still count, with the number of places where it stands. */
export function findPhrase({ segment, deleted }: LiveSegment, field: number, phrase: Phrase): Postings {
  const found = newPostings(0)
  const segmentField = segment.fields[field]
  if (segmentField === undefined) return found
  const { words, distinct } = openCursors(segmentField, phrase.tokens)
  const [rarest, ...others] = distinct
  if (rarest === undefined) return found
  const count = openCount(segmentField, { words, distinct }, phrase.slop)
  while (rarest.next()) {
    const { document } = rarest
    if (deleted?.has(document) || !allHold(others, document)) continue
    const frequency = count(document)
    if (frequency > 0) addPosting(found, document, frequency)
  }
  return found
}

interface PhraseCursors {
  /** By word of the phrase: equal words share a cursor. */
  words: DocumentCursor[]
  /** The rarest first, so that the fewest documents are looked at. Empty if the field lacks one of the words. */
  distinct: DocumentCursor[]
}

function openCursors(field: SegmentField, tokens: readonly string[]): PhraseCursors {
  const entries = new Map<string, TermEntry>()
  for (const token of tokens) {
    const entry = entries.get(token) ?? field.find(token)
    if (entry === null) return { words: [], distinct: [] }
    entries.set(token, entry)
  }
  const sorted = [...entries].sort(([, a], [, b]) => a.documents - b.documents)
  const cursors = new Map(sorted.map(([token, entry]) => [token, new DocumentCursor(field.bytes, entry)]))
  return { words: tokens.map(token => cursors.get(token) as DocumentCursor), distinct: [...cursors.values()] }
}

/** Moves the cursors to a document. False if one of them does not find it. */
function allHold(cursors: readonly DocumentCursor[], document: number): boolean {
  for (const cursor of cursors) {
    cursor.seek(document)
    if (cursor.document !== document) return false
  }
  return true
}

type Count = (document: number) => number

/** Counts the phrase in a document at which all cursors are. Documents must ascend. */
function openCount(field: SegmentField, { words, distinct }: PhraseCursors, slop: number): Count {
  if (slop === 0 && words.length <= SHORT_PHRASE_MAX) return openExactCount({ words, distinct })
  const entry = slop === 0 ? null : field.find(PIECE_BREAK)
  const breaks = entry && new DocumentCursor(field.bytes, entry)
  return document => {
    for (const cursor of distinct) cursor.read()
    if (slop === 0) return countLong(words)
    if (breaks === null || !allHold([breaks], document)) return countLoose(words, slop, null)
    breaks.read()
    return countLoose(words, slop, breaks)
  }
}

/** Every word stamps the places where the phrase would begin, if the words before have stamped them too. */
function openExactCount({ words, distinct }: PhraseCursors): Count {
  const stamps = new Stamps()
  const places = words.map((cursor, i) => ({ cursor, shift: words.length - i }))
  // The rarest first: mostly it leaves nothing to look for.
  places.sort((a, b) => distinct.indexOf(a.cursor) - distinct.indexOf(b.cursor))
  let last = 0
  return () => {
    let count = 0
    for (let i = 0; i < places.length; i++) {
      const { cursor, shift } = places[i] as (typeof places)[number]
      count = cursor.stamp(stamps, shift, last, i === 0)
      last++
      if (count === 0) break
    }
    // A stamp of this document is not one that the next looks for.
    last++
    return count
  }
}
