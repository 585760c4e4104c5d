/** Finds phrases from the positions of their words in one field of one segment. */
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
  /** Number of allowed moves. */
  slop: number
}

/** Up to this number of words, checking each word at its position is fastest. */
const SHORT_PHRASE_MAX = 16

/** Returns the documents that contain a phrase of several words, without deleted ones, with the number of occurrences. */
export function findPhrase({ segment, deleted }: LiveSegment, field: number, phrase: Phrase): Postings {
  const found = newPostings(0)
  const segmentField = segment.fields[field]
  if (segmentField === undefined) return found
  const { words, distinct } = createCursors(segmentField, phrase.tokens)
  const [rarest, ...others] = distinct
  if (rarest === undefined) return found
  const count = createCounter(segmentField, { words, distinct }, phrase.slop)
  while (rarest.next()) {
    const { document } = rarest
    if (deleted?.has(document) || !allHold(others, document)) continue
    const frequency = count(document)
    if (frequency > 0) addPosting(found, document, frequency)
  }
  return found
}

interface PhraseCursors {
  /** A cursor for each word of the phrase. Equal words share a cursor. */
  words: DocumentCursor[]
  /** Cursors with the rarest word first, so that the fewest documents are read. Empty if the field lacks one of the words. */
  distinct: DocumentCursor[]
}

function createCursors(field: SegmentField, tokens: readonly string[]): PhraseCursors {
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

/** Moves the cursors to a document. Returns false if one of the terms is not in it. */
function allHold(cursors: readonly DocumentCursor[], document: number): boolean {
  for (const cursor of cursors) {
    cursor.seek(document)
    if (cursor.document !== document) return false
  }
  return true
}

type Counter = (document: number) => number

/**
 * Returns a function that counts the phrase in the document at which all cursors are. It must be called for ascending documents.
 */
function createCounter(field: SegmentField, { words, distinct }: PhraseCursors, slop: number): Counter {
  if (slop === 0 && words.length <= SHORT_PHRASE_MAX) return createExactCounter({ words, distinct })
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

/**
 * Counts exact phrases: each word stamps the positions where the phrase would begin, if all words before it have stamped them
 * too.
 */
function createExactCounter({ words, distinct }: PhraseCursors): Counter {
  const stamps = new Stamps()
  const places = words.map((cursor, i) => ({ cursor, shift: words.length - i }))
  // Starts with the rarest word, because it usually excludes most positions.
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
    // Ensures that stamps of this document do not match in the next one.
    last++
    return count
  }
}
