import { areTouching, listFree, type Span } from '../spans.ts'
import type { Offsets, Range } from '../text/offsets.ts'
import { isWholeWord } from '../text/words.ts'

/** Maximum number of identical strings to mark together. */
const FOUND_MAX = 1_000

/** Finds other occurrences of the same string as whole words, in places where this span could be marked too. */
export function findIdentical(
  text: string,
  offsets: Offsets,
  span: Span,
  { spans, allow_overlapping }: { spans: readonly Span[]; allow_overlapping: boolean },
): Span[] {
  const wanted = text.slice(offsets.toUnits(span.start), offsets.toUnits(span.end))
  const found = listPlaces(text, wanted).map(({ start, end }) => ({
    label: span.label,
    start: offsets.toPoints(start),
    end: offsets.toPoints(end),
  }))
  return listFree(
    found.filter(place => !areTouching(place, span)),
    spans,
    { allow_overlapping },
  ).slice(0, FOUND_MAX)
}

function listPlaces(text: string, wanted: string): Range[] {
  const places: Range[] = []
  if (wanted.trim() === '') return places
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const place = { start: at, end: at + wanted.length }
    if (isWholeWord(text, place)) places.push(place)
    if (places.length > 2 * FOUND_MAX) break
  }
  return places
}
