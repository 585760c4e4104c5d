/** Polls a job until it ends or the page is left. */
import { onScopeDispose } from 'vue'

const PAUSE_MS = 1_000
const OPEN: readonly string[] = ['queued', 'started', 'deferred', 'scheduled']

export function useJobPolling() {
  const controller = new AbortController()
  onScopeDispose(() => controller.abort())

  /** Returns the finished job; null if the page was left before. */
  return async function follow<J extends { status: string }>(
    read: (signal: AbortSignal) => Promise<J>,
    tell: (job: J) => void,
  ): Promise<J | null> {
    for (;;) {
      const job = await read(controller.signal)
      if (controller.signal.aborted) return null
      tell(job)
      if (!OPEN.includes(job.status)) return job
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  }
}
