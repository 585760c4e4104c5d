/** Answer to a span question: a list of spans in code points, changed by pure functions. */

export interface Span {
  label: string
  start: number
  end: number
}

export const isSpan = (entry: unknown): entry is Span =>
  typeof entry === 'object' &&
  entry !== null &&
  'label' in entry &&
  typeof entry.label === 'string' &&
  'start' in entry &&
  typeof entry.start === 'number' &&
  'end' in entry &&
  typeof entry.end === 'number' &&
  entry.start >= 0 &&
  entry.start < entry.end

/** Reads answers and suggestions from the server and drops invalid spans. Null means no answer. */
export const readSpans = (value: unknown): Span[] | null => (Array.isArray(value) ? value.filter(isSpan) : null)

type Place = Pick<Span, 'start' | 'end'>

export const areTouching = (a: Place, b: Place) => a.start < b.end && b.start < a.end
export const haveSameRange = (a: Place, b: Place) => a.start === b.start && a.end === b.end
const areSameSpan = (a: Span, b: Span) => haveSameRange(a, b) && a.label === b.label

const keys = new WeakMap<Span, string>()

/** Cached per span, because thousands of spans are looked up by key for every mark. */
export function spanKey(span: Span): string {
  const known = keys.get(span)
  if (known !== undefined) return known
  const key = `${span.start}-${span.end}-${span.label}`
  keys.set(span, key)
  return key
}

export const inOrder = (a: Span, b: Span) =>
  a.start - b.start || a.end - b.end || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)

interface OverlapRule {
  allow_overlapping: boolean
}

/** Adds spans. If overlaps are not allowed, they replace the spans that they touch. */
export function addSpans(spans: readonly Span[], added: readonly Span[], { allow_overlapping }: OverlapRule): Span[] {
  const isKept = allow_overlapping
    ? (span: Span) => !added.some(one => areSameSpan(one, span))
    : (span: Span) => !added.some(one => areTouching(one, span))
  return [...spans.filter(isKept), ...added].sort(inOrder)
}

/** Returns those of the sorted places that can be marked without changing existing spans. */
export function listFree(places: readonly Span[], spans: readonly Span[], { allow_overlapping }: OverlapRule): Span[] {
  if (places.length === 0) return []
  if (allow_overlapping) {
    const taken = new Set(spans.map(spanKey))
    return places.filter(place => !taken.has(spanKey(place)))
  }
  // Merges both sorted lists in linear time, because each can have thousands of entries in long texts.
  const sorted = spans.toSorted(inOrder)
  let at = 0
  return places.filter(place => {
    while ((sorted[at]?.end ?? Number.POSITIVE_INFINITY) <= place.start) at++
    const next = sorted[at]
    return !next || !areTouching(next, place)
  })
}

export const removeSpans = (spans: readonly Span[], removed: readonly Span[]): Span[] =>
  spans.filter(span => !removed.some(one => areSameSpan(one, span)))

/** Replaces all labels of the range with this one. */
export const relabel = (spans: readonly Span[], range: Place, label: string, rule: OverlapRule): Span[] =>
  addSpans(
    spans.filter(span => !haveSameRange(span, range)),
    [{ label, start: range.start, end: range.end }],
    rule,
  )

/** Adds the label to the range, or removes it. */
export function toggleLabel(spans: readonly Span[], range: Place, label: string, rule: OverlapRule): Span[] {
  const span = { label, start: range.start, end: range.end }
  return spans.some(one => areSameSpan(one, span)) ? removeSpans(spans, [span]) : addSpans(spans, [span], rule)
}

/** Compares spans regardless of order. */
function areEqualSpans(a: readonly Span[], b: readonly Span[]): boolean {
  if (a.length !== b.length) return false
  const sorted = b.toSorted(inOrder)
  return a.toSorted(inOrder).every((span, index) => {
    const other = sorted[index]
    return other !== undefined && areSameSpan(span, other)
  })
}

/** Null (no answer) differs from an empty list (nothing to mark). */
export function areEqualAnswers(a: unknown, b: unknown): boolean {
  const [one, other] = [readSpans(a), readSpans(b)]
  return one === null || other === null ? one === other : areEqualSpans(one, other)
}

/** Returns the span after (1) or before (-1) a place, wrapping around; spans with the same range count as one. */
export function jump<T extends Place>(spans: readonly T[], from: Place | null, step: 1 | -1): T | null {
  const sorted = spans.toSorted((a, b) => a.start - b.start || a.end - b.end)
  const compare = (span: T) => (from ? span.start - from.start || span.end - from.end : step)
  const found = step === 1 ? sorted.find(span => compare(span) > 0) : sorted.findLast(span => compare(span) < 0)
  return found ?? (step === 1 ? sorted[0] : sorted.at(-1)) ?? null
}

/**
 * Assigns each span the first free level (0 is the top), so that overlapping spans do not collide. Returns levels in the given
 * order.
 */
export function levelsOf(spans: readonly Place[]): number[] {
  const levels = spans.map(() => 0)
  const order = spans.map((_, index) => index)
  const at = (index: number) => spans[index] ?? { start: 0, end: 0 }
  order.sort((a, b) => at(a).start - at(b).start || at(b).end - at(a).end)
  /** End of the last span on each level. */
  const ends: number[] = []
  for (const index of order) {
    const { start, end } = at(index)
    const free = ends.findIndex(last => last <= start)
    const level = free < 0 ? ends.length : free
    ends[level] = end
    levels[index] = level
  }
  return levels
}
