/**
 * Vertical layout of overlapping marks. If marks can overlap, every line reserves two rows of names, so that lines do not move
 * when a span is added. Even levels use the first row, odd levels the second. From the third level on, the underline is slightly
 * lower than that of the level in the same row.
 */
const ROW_PX = 13
const SHARED_PX = 3

/** Vertical offset of a name from the first row. */
export const rowTop = (level: number) => (level % 2) * ROW_PX

/** Vertical offset of the underline. */
export const underlineDrop = (level: number) => rowTop(level) + (level > 1 ? SHARED_PX : 0)
