/**
 * Runs a function right before the next paint. Layout reads and scrolling belong here: the browser computes the layout for the
 * frame anyway, and reads between document changes would force it to compute the layout again.
 */
export const beforePaint = (run: () => void): void => void requestAnimationFrame(run)
