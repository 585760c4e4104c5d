/**
 * Whether the text index holds what the records say.
 *
 * The index cannot give a text back, only the places of its tokens, token by token. So each record gets a checksum, summed
 * over its tokens in any order, once from the index and once from the record: a few bytes per record, whatever their texts.
 */
import { toIndexText } from '@postil/domain/search/tokens'
import type { Queryable } from '../../storage/database.ts'
import type { IndexDifference, SearchedDataset, TextDocument } from '../engine.ts'
import { placesTableOf, textTableOf, wordsTableOf } from './text-index.ts'

/** Places read at a time; a single token may have more. */
const PLACES_BATCH = 100_000
const TOKENS_BATCH = 5000

export async function verifyTexts(
  db: Queryable,
  dataset: SearchedDataset,
  documents: AsyncIterable<TextDocument[]>,
): Promise<IndexDifference> {
  const sums = await sumIndex(db, dataset)
  const entries = await db.sql.all<{ no: number }>(`select rowid as no from ${textTableOf(dataset.id)}`)
  const surplus = new Set(entries.map(entry => entry.no))
  const wrong: number[] = []
  let checked = 0
  for await (const batch of documents) {
    for (const { recordNo, pieces } of batch) {
      checked++
      if (!surplus.delete(recordNo) || (sums.get(recordNo) ?? 0) !== sumDocument(pieces)) wrong.push(recordNo)
    }
  }
  return { checked, wrong, surplus: surplus.size }
}

function sumDocument(pieces: TextDocument['pieces']): number {
  let sum = 0
  for (const [column, texts] of pieces.entries()) {
    const text = texts === null ? '' : toIndexText(texts)
    if (text === '') continue
    for (const [place, token] of text.split(' ').entries()) sum = (sum + mix(hash(token), column, place)) | 0
  }
  return sum
}

async function sumIndex(db: Queryable, dataset: SearchedDataset): Promise<Map<number, number>> {
  const sums = new Map<number, number>()
  const text = `select term, doc as no, col, offset as place from ${placesTableOf(dataset.id)} where term >= ? and term <= ?`
  for await (const [from, to] of listTokenRanges(db, dataset)) {
    let last = ''
    let lastHash = 0
    for (const { term, no, col, place } of await db.sql.all<{ term: string; no: number; col: string; place: number }>(text, [
      from,
      to,
    ])) {
      if (term !== last) [last, lastHash] = [term, hash(term)]
      sums.set(no, ((sums.get(no) ?? 0) + mix(lastHash, Number(col.slice(1)), place)) | 0)
    }
  }
  return sums
}

/** First and last token of stretches that have about as many places as are read at a time. */
async function* listTokenRanges(db: Queryable, dataset: SearchedDataset): AsyncGenerator<[string, string]> {
  const text = `select term, cnt as places from ${wordsTableOf(dataset.id)} where term > ? limit ${TOKENS_BATCH}`
  let after = ''
  for (;;) {
    const tokens = await db.sql.all<{ term: string; places: number }>(text, [after])
    let from: string | null = null
    let places = 0
    for (const [i, token] of tokens.entries()) {
      from ??= token.term
      places += token.places
      if (places < PLACES_BATCH && i < tokens.length - 1) continue
      yield [from, token.term]
      from = null
      places = 0
    }
    const last = tokens.at(-1)
    if (last === undefined) return
    after = last.term
  }
}

function hash(token: string): number {
  let state = 0x811c9dc5
  for (let i = 0; i < token.length; i++) state = Math.imul(state ^ token.charCodeAt(i), 0x01000193)
  return state
}

function mix(token: number, column: number, place: number): number {
  let state = Math.imul(token ^ Math.imul(place + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca77), 0xc2b2ae3d)
  state = Math.imul(state ^ (state >>> 15), 0x27d4eb2f)
  return state ^ (state >>> 13)
}
