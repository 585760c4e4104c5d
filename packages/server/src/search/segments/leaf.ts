/** What one word, phrase, prefix or fuzzy word finds and contributes to the scores. */
import type { TextQueryLeaf } from '@postil/domain/search/text-query'
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import { Bitmap } from '../bitmap.ts'
import { compareUnits, type TermCursor } from './dictionary.ts'
import { keepLive, type LiveSegment, markOrdinals } from './live.ts'
import { listNear, type NearTerm } from './near-terms.ts'
import { findPhrase, type Phrase } from './phrase.ts'
import { newPostings, readPostings, reserve } from './postings.ts'
import { addScores, type Scored, type SegmentHits } from './score.ts'

export interface TextScope {
  segments: readonly LiveSegment[]
  /** How many ordinals there are. */
  size: number
  /** The fields to look into. */
  fields: readonly number[]
}

/** A search with what it has looked up, because it is needed again for the scores. Postings of single words are cheaper to read twice. */
export interface LeafSearch extends TextScope {
  phrases: Map<string, SegmentHits[]>
  near: Map<string, NearTerm[]>
  prefixes: Map<string, Bitmap>
}

export function openLeafSearch(scope: TextScope): LeafSearch {
  return { ...scope, phrases: new Map(), near: new Map(), prefixes: new Map() }
}

/** The ordinals that a leaf finds, as a new bitmap. */
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

/** Adds what a leaf contributes to the scores. */
export function scoreLeaf(search: LeafSearch, leaf: TextQueryLeaf, scored: Scored): void {
  switch (leaf.kind) {
    case 'word':
    case 'phrase':
      for (const field of search.fields) {
        for (const phrase of toPhrases(leaf))
          addScores(search.segments, scored, field, { hits: hitsOf(search, field, phrase), factor: 1 })
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

function hitsOf({ segments, phrases }: LeafSearch, field: number, phrase: Phrase): SegmentHits[] {
  const find = () => segments.map(live => ({ live, postings: findPhrase(live, field, phrase) }))
  return phrase.tokens.length === 1 ? find() : remember(phrases, JSON.stringify([field, phrase.tokens, phrase.slop]), find)
}

/** All phrases stand in the same field. */
function findRuns(search: LeafSearch, phrases: readonly Phrase[]): Bitmap {
  const found = new Bitmap(search.size)
  for (const field of search.fields) {
    let inField: Bitmap | null = null
    for (const phrase of phrases) {
      // One phrase needs no bitmap of its own.
      const bits = phrases.length === 1 ? found : new Bitmap(search.size)
      for (const { live, postings } of hitsOf(search, field, phrase)) markOrdinals(live, postings, bits)
      inField = inField === null ? bits : inField.and(bits)
    }
    if (inField !== null && inField !== found) found.or(inField)
  }
  return found
}

function findPrefix({ segments, size, fields, prefixes }: LeafSearch, start: string): Bitmap {
  return remember(prefixes, start, () => {
    const found = new Bitmap(size)
    for (const live of segments) for (const field of fields) markPrefix(live, field, start, found)
    return found
  })
}

function markPrefix(live: LiveSegment, field: number, start: string, found: Bitmap): void {
  const postings = newPostings(1024)
  const cursor = live.segment.fields[field]?.cursor()
  if (cursor === undefined || !cursor.seek(start) || !startsWith(cursor, start)) return
  do {
    if (compareUnits(cursor.units, cursor.length, PIECE_BREAK) === 0) continue
    reserve(postings, cursor.documents)
    markOrdinals(live, keepLive(live, readPostings(live.segment.bytes, cursor, postings)), found)
  } while (cursor.next() && cursor.shared >= start.length)
}

function startsWith({ units, length }: TermCursor, start: string): boolean {
  return length >= start.length && compareUnits(units, start.length, start) === 0
}

/** A record that has such a word scores 1, no matter how many. */
function scorePrefix(found: Bitmap, { matches, scores }: Scored): void {
  for (const ordinal of found.clone().and(matches).ordinals()) scores[ordinal] = (scores[ordinal] as number) + 1
}

type FuzzyLeaf = Extract<TextQueryLeaf, { kind: 'fuzzy' }>

function nearTerms({ segments, near }: LeafSearch, field: number, leaf: FuzzyLeaf): NearTerm[] {
  return remember(near, JSON.stringify([field, leaf]), () => listNear(segments, field, leaf))
}

function findFuzzy(search: LeafSearch, leaf: FuzzyLeaf): Bitmap {
  const found = new Bitmap(search.size)
  for (const field of search.fields) {
    for (const near of nearTerms(search, field, leaf)) {
      for (const { live, postings } of hitsOfTerm(near, field)) markOrdinals(live, postings, found)
    }
  }
  return found
}

/** Every term that is near enough counts like a word, the less the farther it is from the wanted one. */
function scoreFuzzy(search: LeafSearch, leaf: FuzzyLeaf, scored: Scored): void {
  for (const field of search.fields) {
    for (const near of nearTerms(search, field, leaf)) {
      const shorter = Math.min([...near.term].length, [...leaf.token].length)
      const factor = Math.max(0, 1 - near.distance / shorter)
      addScores(search.segments, scored, field, { hits: hitsOfTerm(near, field), factor })
    }
  }
}

function hitsOfTerm({ entries }: NearTerm, field: number): SegmentHits[] {
  return entries.flatMap(({ live, entry }): SegmentHits[] => {
    const postings = live.segment.fields[field]?.postings(entry)
    return postings === undefined ? [] : [{ live, postings: keepLive(live, postings) }]
  })
}

function remember<Value>(known: Map<string, Value>, key: string, find: () => Value): Value {
  const value = known.get(key) ?? find()
  known.set(key, value)
  return value
}
