/**
 * Which tokens of an index lie near a word that may be misspelt.
 *
 * The index lists its tokens, and reading that list costs about as much as reading the whole index: 0.2 s at 100,000 records.
 * So all words of a query share one pass, and in a large dataset only tokens with the same first character are looked at.
 */

import type { TextQueryLeaf } from '@postil/domain/search/text-query'
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { wordsTableOf } from './text-index.ts'

export type FuzzyLeaf = Extract<TextQueryLeaf, { kind: 'fuzzy' }>

export interface Expansion {
  token: string
  distance: number
}

const EXPANSIONS_MAX = 10
const FULL_LIST_RECORDS_MAX = 200_000

interface Listed {
  term: string
  doc: number
}

/** For each leaf its nearest tokens: the closest first, then the most frequent. */
export async function expandFuzzy(
  db: Queryable,
  dataset: SearchedDataset,
  leaves: readonly FuzzyLeaf[],
): Promise<Map<FuzzyLeaf, Expansion[]>> {
  const expansions = new Map<FuzzyLeaf, Expansion[]>()
  if (dataset.records_count <= FULL_LIST_RECORDS_MAX) {
    const listed = await listTokens(db, dataset, leaves, null)
    for (const leaf of leaves) expansions.set(leaf, nearestOf(leaf, listed))
  } else {
    for (const leaf of leaves) {
      const [first = ''] = leaf.token
      expansions.set(leaf, nearestOf(leaf, await listTokens(db, dataset, [leaf], first)))
    }
  }
  return expansions
}

function listTokens(
  db: Queryable,
  dataset: SearchedDataset,
  leaves: readonly FuzzyLeaf[],
  first: string | null,
): Promise<Listed[]> {
  const lengths = leaves.map(leaf => ({ length: [...leaf.token].length, distance: leaf.distance }))
  const shortest = Math.min(...lengths.map(({ length, distance }) => length - distance))
  const longest = Math.max(...lengths.map(({ length, distance }) => length + distance))
  const start = first === null ? '' : 'and term >= ? and term < ?'
  const bounds = first === null ? [] : [first, String.fromCodePoint((first.codePointAt(0) ?? 0) + 1)]
  const text = `select term, doc from ${wordsTableOf(dataset.id)} where length(term) between ? and ? ${start}`
  return db.sql.all<Listed>(text, [shortest, longest, ...bounds])
}

function nearestOf(leaf: FuzzyLeaf, listed: readonly Listed[]): Expansion[] {
  const word = toCodePoints(leaf.token)
  const near: (Listed & { distance: number })[] = []
  for (const { term, doc } of listed) {
    if (Math.abs(term.length - leaf.token.length) > 2 * leaf.distance || term === PIECE_BREAK) continue
    const distance = distanceWithin(word, toCodePoints(term), leaf.distance)
    if (distance !== null) near.push({ term, doc, distance })
  }
  near.sort((a, b) => a.distance - b.distance || b.doc - a.doc || (a.term < b.term ? -1 : 1))
  return near.slice(0, EXPANSIONS_MAX).map(({ term, distance }) => ({ token: term, distance }))
}

function toCodePoints(text: string): number[] {
  const codePoints: number[] = []
  for (const character of text) codePoints.push(character.codePointAt(0) ?? 0)
  return codePoints
}

/** Insertions, deletions and replacements; null when more than `most`. Gives up as soon as that is certain. */
function distanceWithin(from: readonly number[], to: readonly number[], most: number): number | null {
  if (Math.abs(from.length - to.length) > most) return null
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced)
      next.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return null
    row = next
  }
  const distance = row[to.length] ?? 0
  return distance <= most ? distance : null
}
