/**
 * Retries reading after a connection error: when the network is back, and every 3 seconds until it succeeds. A request in transit
 * when the network returns may still fail, and a restarted server does not trigger an `online` event.
 */
import { ConnectionError } from '@postil/client'
import { onScopeDispose, type Ref, watch } from 'vue'

const AGAIN_MS = 3_000

/** `read` sets the problem to null, or to the next error. */
export function useReadOn(problem: Readonly<Ref<unknown>>, read: () => void): void {
  const onOnline = () => problem.value !== null && read()
  addEventListener('online', onOnline)
  watch(problem, (error, _, onCleanup) => {
    if (!(error instanceof ConnectionError)) return
    const timer = setTimeout(read, AGAIN_MS)
    onCleanup(() => clearTimeout(timer))
  })
  onScopeDispose(() => removeEventListener('online', onOnline))
}
