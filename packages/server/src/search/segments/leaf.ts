/** Finds and scores the matches of one word, phrase, prefix or fuzzy word. */
import type { TextQueryLeaf } from '@postil/domain/search/text-query'
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import { Bitmap } from '../bitmap.ts'
import { compareUnits, type TermCursor, type TermEntry } from './dictionary.ts'
import { keepLive, type LiveSegment, markOrdinals } from './live.ts'
import { listNear, type NearTerm } from './near-terms.ts'
import { findPhrase, type Phrase } from './phrase.ts'
import { newPostings, type Postings, readPostings, reserve } from './postings.ts'
import { addScores, type ScoreTarget, type SegmentHits } from './score.ts'

export interface TextScope {
  segments: readonly LiveSegment[]
  /** Number of ordinals. */
  size: number
  /** Indexes of the fields to search. */
  fields: readonly number[]
}

/**
 * A search with cached lookups, which finding and scoring share. Postings of single words are not cached but read twice, each
 * time into the same buffer.
 */
export interface LeafSearch extends TextScope {
  phrases: Map<string, Postings[]>
  near: Map<string, NearTerm[]>
  prefixes: Map<string, Bitmap>
  scratch: Postings
}

export function createLeafSearch(scope: TextScope): LeafSearch {
  return { ...scope, phrases: new Map(), near: new Map(), prefixes: new Map(), scratch: newPostings(0) }
}

/** Returns the ordinals that match a leaf, as a new bitmap. */
export function findLeaf(search: LeafSearch, leaf: TextQueryLeaf): Bitmap {
  switch (leaf.kind) {
    case 'word':
    case 'phrase':
      return findRuns(search, toPhrases(leaf))
    case 'prefix':
      return findPrefix(search, leaf.start).clone()
    case 'fuzzy':
      return findFuzzy(search, leaf)
  }
}

/** Adds the scores of a leaf. */
export function scoreLeaf(search: LeafSearch, leaf: TextQueryLeaf, scored: ScoreTarget): void {
  switch (leaf.kind) {
    case 'word':
    case 'phrase':
      for (const field of search.fields) {
        for (const phrase of toPhrases(leaf)) {
          addScores(search.segments, scored, { field, factor: 1 }, hitsOfPhrase(search, field, phrase))
        }
      }
      return
    case 'prefix':
      scorePrefix(findPrefix(search, leaf.start), scored)
      return
    case 'fuzzy':
      scoreFuzzy(search, leaf, scored)
  }
}

type RunLeaf = Extract<TextQueryLeaf, { kind: 'word' | 'phrase' }>

function toPhrases(leaf: RunLeaf): Phrase[] {
  return leaf.kind === 'phrase' ? [leaf] : leaf.runs.map(tokens => ({ tokens, slop: 0 }))
}

function hitsOfPhrase(search: LeafSearch, field: number, phrase: Phrase): SegmentHits[] {
  const [token = ''] = phrase.tokens
  if (phrase.tokens.length === 1) {
    return search.segments.flatMap(live => {
      const entry = live.segment.fields[field]?.find(token)
      return entry ? [hitsOfTerm(search, live, entry)] : []
    })
  }
  const key = JSON.stringify([field, phrase.tokens, phrase.slop])
  const found = remember(search.phrases, key, () => search.segments.map(live => findPhrase(live, field, phrase)))
  return search.segments.map((live, i) => {
    const postings = found[i] as Postings
    return { live, count: () => postings.count, read: () => postings }
  })
}

function hitsOfTerm({ scratch }: LeafSearch, live: LiveSegment, entry: TermEntry): SegmentHits {
  const read = () => {
    reserve(scratch, entry.documents)
    return keepLive(live, readPostings(live.segment.bytes, entry, scratch))
  }
  return { live, count: () => (live.deleted === null ? entry.documents : read().count), read }
}

/** Returns the records that have all phrases in the same field. */
function findRuns(search: LeafSearch, phrases: readonly Phrase[]): Bitmap {
  const found = new Bitmap(search.size)
  for (const field of search.fields) {
    let inField: Bitmap | null = null
    for (const phrase of phrases) {
      // A single phrase does not need a separate bitmap.
      const bits = phrases.length === 1 ? found : new Bitmap(search.size)
      for (const { live, read } of hitsOfPhrase(search, field, phrase)) markOrdinals(live, read(), bits)
      inField = inField === null ? bits : inField.and(bits)
    }
    if (inField !== null && inField !== found) found.or(inField)
  }
  return found
}

function findPrefix(search: LeafSearch, start: string): Bitmap {
  return remember(search.prefixes, start, () => {
    const found = new Bitmap(search.size)
    for (const live of search.segments) for (const field of search.fields) markPrefix(search, live, { field, start }, found)
    return found
  })
}

function markPrefix(
  search: LeafSearch,
  live: LiveSegment,
  { field, start }: { field: number; start: string },
  found: Bitmap,
): void {
  const cursor = live.segment.fields[field]?.cursor()
  if (cursor === undefined || !cursor.seek(start) || !startsWith(cursor, start)) return
  do {
    if (compareUnits(cursor.units, cursor.length, PIECE_BREAK) === 0) continue
    markOrdinals(live, hitsOfTerm(search, live, cursor).read(), found)
  } while (cursor.next() && cursor.shared >= start.length)
}

function startsWith({ units, length }: TermCursor, start: string): boolean {
  return length >= start.length && compareUnits(units, start.length, start) === 0
}

/** Adds 1 to the score of a record, regardless of how many of its words have the prefix. */
function scorePrefix(found: Bitmap, { matches, scores }: ScoreTarget): void {
  for (const ordinal of found.clone().and(matches).ordinals()) scores[ordinal] = (scores[ordinal] as number) + 1
}

type FuzzyLeaf = Extract<TextQueryLeaf, { kind: 'fuzzy' }>

function nearTerms({ segments, near }: LeafSearch, field: number, leaf: FuzzyLeaf): NearTerm[] {
  return remember(near, JSON.stringify([field, leaf]), () => listNear(segments, field, leaf))
}

function findFuzzy(search: LeafSearch, leaf: FuzzyLeaf): Bitmap {
  const found = new Bitmap(search.size)
  for (const field of search.fields) {
    for (const { entries } of nearTerms(search, field, leaf)) {
      for (const { live, entry } of entries) markOrdinals(live, hitsOfTerm(search, live, entry).read(), found)
    }
  }
  return found
}

/** Scores every term within the distance like a word. Terms with a greater distance have a lower weight. */
function scoreFuzzy(search: LeafSearch, leaf: FuzzyLeaf, scored: ScoreTarget): void {
  for (const field of search.fields) {
    for (const near of nearTerms(search, field, leaf)) {
      const shorter = Math.min([...near.term].length, [...leaf.token].length)
      const factor = Math.max(0, 1 - near.distance / shorter)
      const hits = near.entries.map(({ live, entry }) => hitsOfTerm(search, live, entry))
      addScores(search.segments, scored, { field, factor }, hits)
    }
  }
}

function remember<Value>(known: Map<string, Value>, key: string, find: () => Value): Value {
  const value = known.get(key) ?? find()
  known.set(key, value)
  return value
}
