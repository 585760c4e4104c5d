/** Later, when nothing else is to be done; some browsers cannot say when that is. */
export function whenIdle(run: () => void): void {
  const idle: ((run: () => void) => unknown) | undefined = globalThis.requestIdleCallback
  if (idle) idle(run)
  else setTimeout(run, 50)
}
