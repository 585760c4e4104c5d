import type { TermEntry } from './dictionary.ts'
import { visitNear } from './fuzzy.ts'
import type { LiveSegment } from './live.ts'

/** A term within the distance, and its location in each segment. */
export interface NearTerm {
  term: string
  distance: number
  entries: { live: LiveSegment; entry: TermEntry }[]
}

/**
 * Returns the terms in sort order, so that the sum of their scores does not depend on how documents are distributed over
 * segments, not even by rounding.
 */
export function listNear(
  segments: readonly LiveSegment[],
  field: number,
  wanted: { token: string; distance: number },
): NearTerm[] {
  const near = new Map<string, NearTerm>()
  for (const live of segments) {
    const cursor = live.segment.fields[field]?.cursor()
    if (cursor === undefined) continue
    visitNear(cursor, wanted, (at, distance) => {
      const term = at.term()
      const known = near.get(term) ?? { term, distance, entries: [] }
      known.entries.push({ live, entry: at.entry() })
      near.set(term, known)
    })
  }
  return [...near.values()].sort((a, b) => (a.term < b.term ? -1 : 1))
}
