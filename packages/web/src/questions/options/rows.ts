/**
 * Chips of different widths in rows, of which only those in view are drawn. The widths are computed, not read from the page,
 * so that a thousand options cost no layout.
 */
export const CHIP_GAP = 6

/** Where each row begins: `[0, 4, 9]` are rows of 4, 5 and the rest. */
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

/** The row that holds an item. */
export const rowOf = (starts: readonly number[], index: number) => starts.findLastIndex(start => start <= index)

/** The rows to draw: those in view, and a few around them for the next movement. */
export function rowsInView(count: number, rowHeight: number, view: { top: number; height: number }): [from: number, to: number] {
  const AROUND = 3
  const from = Math.max(0, Math.floor(view.top / rowHeight) - AROUND)
  const to = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + AROUND)
  return [Math.min(from, count), to]
}
