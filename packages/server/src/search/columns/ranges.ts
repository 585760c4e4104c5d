/** A range that includes both ends. */
export interface ClosedRange<T> {
  from: T
  to: T
}

/**
 * Returns the ranges in ascending order, without empty ones, and with overlapping ones merged, so that binary search works on
 * them.
 */
export function joinRanges<T extends number | bigint>(ranges: readonly ClosedRange<T>[]): ClosedRange<T>[] {
  const joined: ClosedRange<T>[] = []
  const ordered = ranges.filter(({ from, to }) => from <= to).sort((left, right) => (left.from < right.from ? -1 : 1))
  for (const { from, to } of ordered) {
    const last = joined.at(-1)
    if (last === undefined || from > last.to) joined.push({ from, to })
    else if (to > last.to) last.to = to
  }
  return joined
}
