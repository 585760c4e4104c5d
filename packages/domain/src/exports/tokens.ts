/** Splits texts into tokens so that spans start and end at token boundaries. Offsets count code points, like those of spans. */
import { codePointLength } from '../code-points.ts'

export interface Span {
  label: string
  start: number
  end: number
}

export interface Token {
  text: string
  start: number
  end: number
}

/** White space as Python defines it, because Python programs read these files. */
const WHITE = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/

export const isWhite = (text: string): boolean => WHITE.test(text)

/**
 * Runs of letters, marks and digits, which may contain apostrophes and hyphens; runs of white space; any other single character.
 */
const TOKENS = new RegExp(`[\\p{L}\\p{M}\\p{N}_]+(?:['’-][\\p{L}\\p{M}\\p{N}_]+)*|${WHITE.source.slice(1, -1)}|[^]`, 'gu')

/** Returns all tokens including white space, so that joining them gives the text. */
export function toTokens(text: string, spans: readonly Span[]): Token[] {
  const edges = [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b)
  const tokens: Token[] = []
  let at = 0
  let edge = 0
  for (const [found] of text.matchAll(TOKENS)) {
    const end = at + codePointLength(found)
    while ((edges[edge] ?? end) <= at) edge++
    if ((edges[edge] ?? end) >= end) tokens.push({ text: found, start: at, end })
    else tokens.push(...cutAt(found, at, edges, edge))
    at = end
  }
  return tokens
}

/** Splits a token at the span edges inside it. The first of them is `edges[first]`. */
function cutAt(found: string, at: number, edges: readonly number[], first: number): Token[] {
  const points = Array.from(found)
  const end = at + points.length
  const cuts = [at]
  for (let edge = first; (edges[edge] ?? end) < end; edge++) cuts.push(edges[edge] as number)
  cuts.push(end)
  return cuts.slice(1).map((next, index) => {
    const start = cuts[index] as number
    return { text: points.slice(start - at, next - at).join(''), start, end: next }
  })
}

/** Keeps the longest of overlapping spans, or the first of equally long ones. */
export function withoutOverlaps(spans: readonly Span[]): Span[] {
  const sorted = spans.toSorted(
    (a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0),
  )
  const taken = new Set<number>()
  const kept = sorted.filter(({ start, end }) => {
    // A span that overlaps a longer one starts or ends inside it.
    if (taken.has(start) || taken.has(end - 1)) return false
    for (let position = start; position < end; position++) taken.add(position)
    return true
  })
  return kept.sort((a, b) => a.start - b.start)
}
