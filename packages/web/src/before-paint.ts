/**
 * Right before the next frame is painted. Reading or scrolling the layout belongs here: the browser computes it for the frame
 * anyway, and once more for everybody who asks between two changes of the document.
 */
export const beforePaint = (run: () => void): void => void requestAnimationFrame(run)
