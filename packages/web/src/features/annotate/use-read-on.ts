/**
 * Goes on reading after the server could not be reached: when the network is back, and again and again until it works. A request
 * that was on its way when the network came back may still fail, and a server that starts again makes no network come back.
 */
import { ConnectionError } from '@postil/client'
import { onScopeDispose, type Ref, watch } from 'vue'

const AGAIN_MS = 3_000

/** `read` sets the problem to null, or to the next one. */
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
