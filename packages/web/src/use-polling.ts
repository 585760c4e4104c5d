/** Polls every few seconds while a change is expected and the page is visible. Only one call runs at a time. */
import { onScopeDispose, watch } from 'vue'

export function usePolling(isWanted: () => boolean, poll: () => Promise<unknown>, everyMs: number): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false
  let isDisposed = false

  function schedule() {
    clearTimeout(timer)
    if (!isDisposed && !isRunning && isWanted() && document.visibilityState === 'visible') timer = setTimeout(run, everyMs)
  }

  async function run() {
    isRunning = true
    try {
      await poll()
    } finally {
      isRunning = false
      schedule()
    }
  }

  watch(isWanted, schedule, { immediate: true })
  document.addEventListener('visibilitychange', schedule)
  onScopeDispose(() => {
    isDisposed = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', schedule)
  })
}
