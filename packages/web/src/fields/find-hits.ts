/**
 * Finds search terms in a text with the rules of the search engine: same folding, same word boundaries. User input is never used
 * as a pattern. Offsets are UTF-16 code units, as in the DOM.
 */
import { iterateTokenPositions } from '@postil/domain/search/token-positions'
import { tokenize } from '@postil/domain/search/tokens'
import type { Highlight } from './field-viewer.ts'

export type Terms = Highlight['terms']
export type UnitRange = [start: number, end: number]

/** Maximum number of highlights; more are not useful. */
const HITS_MAX = 2000

interface Run {
  tokens: readonly string[]
  isPrefix: boolean
}

/** Converts code point offsets to UTF-16 offsets; offsets must be increasing. */
function openUnits(text: string): (codePoint: number) => number {
  let units = 0
  let passed = 0
  return codePoint => {
    while (passed < codePoint && units < text.length) {
      units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
      passed++
    }
    return units
  }
}

const toRuns = (terms: Terms): Run[] =>
  terms.map(({ text, isPrefix }) => ({ tokens: tokenize(text), isPrefix })).filter(({ tokens }) => tokens.length > 0)

const isHere = ({ tokens, isPrefix }: Run, words: readonly string[], at: number) =>
  tokens.every((token, i) => {
    const word = words[at + i]
    return isPrefix && i === tokens.length - 1 ? word?.startsWith(token) : word === token
  })

/** Returns sorted, disjoint ranges. Adjacent hits, as in scripts without spaces, are merged. */
export function findHits(text: string, terms: Terms): UnitRange[] {
  const runs = toRuns(terms)
  if (runs.length === 0) return []
  const places = [...iterateTokenPositions(text)]
  const words = places.map(({ token }) => token)
  const found: UnitRange[] = []
  for (let at = 0; at < words.length && found.length < HITS_MAX; at++) {
    const length = Math.max(0, ...runs.filter(run => isHere(run, words, at)).map(({ tokens }) => tokens.length))
    const [first, last] = [places[at], places[at + length - 1]]
    if (length === 0 || !first || !last) continue
    const before = found.at(-1)
    if (before && first.start <= before[1]) before[1] = Math.max(before[1], last.end)
    else found.push([first.start, last.end])
  }
  return toUnits(text, found)
}

/** Converts the server's code point ranges to UTF-16 ranges. Drops ranges that are invalid for this text. */
export function toUnits(text: string, ranges: readonly (readonly [number, number])[]): UnitRange[] {
  const unitOf = openUnits(text)
  return ranges
    .toSorted(([a], [b]) => a - b)
    .map(([start, end]): UnitRange => [unitOf(start), unitOf(end)])
    .filter(([start, end]) => end > start)
}
