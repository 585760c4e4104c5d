/** What the test files of a worker share is closed after the last of them. */

interface Worker {
  onCleanup: (listener: () => Promise<void>) => void
}

export function closeAtWorkerEnd(close: () => Promise<unknown>): void {
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: Worker }
  // The benchmarks and the pictures of the documentation use the same browser without Vitest, and close it themselves.
  worker?.onCleanup(async () => void (await close()))
}
