/**
 * Phrases with moves, such as `"green apple"~2`.
 *
 * FTS5's NEAR finds words that stand close together, in any order: it finds all that is wanted and some more, because a swap
 * should cost two moves, a word that stands twice in the phrase must stand twice in the text, and pieces are not to be
 * crossed. So what NEAR finds is checked against the places of the words. For words with very many places NEAR's answer is
 * taken as it is.
 */

import type { TextQueryLeaf } from '@postil/domain/search/text-query'
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import type { Queryable } from '../../storage/database.ts'
import type { SearchedDataset } from '../engine.ts'
import { placesTableOf, textTableOf, wordsTableOf } from './text-index.ts'

export type SloppyLeaf = Extract<TextQueryLeaf, { kind: 'phrase' }>

/** Places read to check the phrases of one query: about a tenth of a second. */
export const PLACES_MAX = 200_000

/** Any order within the window that a phrase with so many moves can span. */
export function toNear({ tokens, slop }: SloppyLeaf): string {
  return `NEAR(${tokens.map(token => `"${token}"`).join(' ')}, ${slop + tokens.length - 2})`
}

/** How many places would be read for this phrase. */
export async function countPlaces(db: Queryable, dataset: SearchedDataset, leaf: SloppyLeaf): Promise<number> {
  let places = 0
  for (const token of [...new Set(leaf.tokens), PIECE_BREAK]) {
    const text = `select cnt as places from ${wordsTableOf(dataset.id)} where term = ?`
    places += (await db.sql.get<{ places: number }>(text, [token]))?.places ?? 0
  }
  return places
}

interface Near {
  /** What finds the candidates. */
  expression: string
  /** The only column to look at; null for all. */
  column: number | null
}

/** The records that hold the phrase, out of those where its words are near each other. */
export async function listWithPhrase(db: Queryable, dataset: SearchedDataset, leaf: SloppyLeaf, near: Near): Promise<number[]> {
  const table = textTableOf(dataset.id)
  const rows = await db.sql.all<{ no: number }>(`select rowid as no from ${table} where ${table} match ?`, [near.expression])
  const fields = await loadPlaces(db, dataset, [...new Set(leaf.tokens), PIECE_BREAK], new Set(rows.map(row => row.no)))
  const found = new Set<number>()
  for (const { no, column, places } of fields) {
    const isSearched = near.column === null || column === `f${near.column}`
    if (isSearched && !found.has(no) && hasPhrase(places, leaf)) found.add(no)
  }
  return [...found]
}

/** The places of tokens in one field of one record. */
interface FieldPlaces {
  no: number
  column: string
  places: Map<string, number[]>
}

async function loadPlaces(
  db: Queryable,
  dataset: SearchedDataset,
  tokens: string[],
  candidates: ReadonlySet<number>,
): Promise<Iterable<FieldPlaces>> {
  const fields = new Map<string, FieldPlaces>()
  for (const token of tokens) {
    const text = `select doc as no, col as "column", offset as place from ${placesTableOf(dataset.id)} where term = ?`
    for (const { no, column, place } of await db.sql.all<{ no: number; column: string; place: number }>(text, [token])) {
      if (!candidates.has(no)) continue
      const key = `${no} ${column}`
      const field = fields.get(key) ?? { no, column, places: new Map<string, number[]>() }
      fields.set(key, field)
      const places = field.places.get(token)
      if (places) places.push(place)
      else field.places.set(token, [place])
    }
  }
  return fields.values()
}

/** As domain's `hasPhrase`, over places instead of texts. Some word stands first, so only its places need to be tried. */
function hasPhrase(places: ReadonlyMap<string, number[]>, { tokens, slop }: SloppyLeaf): boolean {
  const breaks = places.get(PIECE_BREAK) ?? []
  return tokens.some((token, i) =>
    (places.get(token) ?? []).some(place => phraseFits(places, breaks, tokens, { first: place - i, place, slop })),
  )
}

interface Window {
  /** Where the phrase would begin if no word had moved. */
  first: number
  /** A place inside the piece that is looked at. */
  place: number
  slop: number
}

function phraseFits(
  places: ReadonlyMap<string, number[]>,
  breaks: number[],
  tokens: readonly string[],
  { first, place, slop }: Window,
): boolean {
  const nextBreak = lowerBound(breaks, place)
  const start = (breaks[nextBreak - 1] ?? -1) + 1
  const end = breaks[nextBreak] ?? Number.POSITIVE_INFINITY
  const taken = new Set<number>()
  return tokens.every((token, i) => {
    const own = places.get(token) ?? []
    let at = lowerBound(own, Math.max(start, first + i))
    while (at < own.length && taken.has(own[at] ?? -1)) at++
    const found = own[at]
    if (found === undefined || found > first + i + slop || found >= end) return false
    taken.add(found)
    return true
  })
}

/** The index of the first number that is not below `least`. */
function lowerBound(numbers: readonly number[], least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}
