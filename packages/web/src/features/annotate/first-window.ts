/** Which records a visit begins with: some before the one that is shown, so that *previous* has somewhere to go. */
export const WINDOW_SIZE = 30
const BEFORE = 5

/** Positions are counted from 0. */
export const windowStart = (position: number) => Math.max(0, position - BEFORE)
