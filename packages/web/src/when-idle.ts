/** A page that never rests does it all the same. */
const PATIENCE_MS = 1_000

/** Later, when nothing else is to be done; some browsers cannot say when that is. */
export function whenIdle(run: () => void): void {
  const idle: typeof requestIdleCallback | undefined = globalThis.requestIdleCallback
  if (idle) idle(run, { timeout: PATIENCE_MS })
  else setTimeout(run, 50)
}
