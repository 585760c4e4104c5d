/**
 * Lays out chips of different widths in rows, of which only visible ones are rendered. Widths are computed instead of measured,
 * so that a thousand options need no layout.
 */
export const CHIP_GAP = 6

/** Longer lists scroll by themselves and render only visible rows. */
export const DRAWN_MAX = 100

/** Returns the first index of each row: `[0, 4, 9]` are rows of 4, 5 and the remaining chips. */
export function packRows(widths: readonly number[], available: number): number[] {
  const starts: number[] = []
  let used = Number.POSITIVE_INFINITY
  for (const [index, width] of widths.entries()) {
    used += CHIP_GAP + width
    if (used <= available) continue
    starts.push(index)
    used = width
  }
  return starts
}

/** Returns the row of an item. */
export const rowOf = (starts: readonly number[], index: number) => starts.findLastIndex(start => start <= index)

/** Returns the rows to render: the visible ones, and a few around them as overscan. */
export function rowsInView(count: number, rowHeight: number, view: { top: number; height: number }): [from: number, to: number] {
  const AROUND = 3
  const from = Math.max(0, Math.floor(view.top / rowHeight) - AROUND)
  const to = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + AROUND)
  return [Math.min(from, count), to]
}
