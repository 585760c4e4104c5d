/** Timeout for browsers that never report an idle period. */
const PATIENCE_MS = 1_000

/** Runs a function when the browser is idle, or after a timer in browsers without `requestIdleCallback`. */
export function whenIdle(run: () => void): void {
  const idle: typeof requestIdleCallback | undefined = globalThis.requestIdleCallback
  if (idle) idle(run, { timeout: PATIENCE_MS })
  else setTimeout(run, 50)
}
