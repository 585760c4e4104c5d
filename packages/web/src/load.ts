/** Loads the data of a page and tracks its state: loading, failed or loaded. */
import { onScopeDispose, type Ref, ref, shallowRef, watch } from 'vue'
import { findSession } from './session/use-session.ts'

export interface LoadState<T> {
  data: Readonly<Ref<T | null>>
  problem: Readonly<Ref<unknown>>
  /** True if there is no response after 150 ms. Faster loads show no loading state. */
  isSlow: Readonly<Ref<boolean>>
  reload(): Promise<void>
}

const PATIENCE_MS = 150

export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, options: { onFocus?: boolean } = {}): LoadState<T> {
  const data = shallowRef<T | null>(null)
  const problem = shallowRef<unknown>(null)
  const isSlow = ref(false)
  let current = new AbortController()
  const reload = async () => {
    current.abort()
    const mine = new AbortController()
    current = mine
    const timer = setTimeout(() => {
      isSlow.value = data.value === null
    }, PATIENCE_MS)
    try {
      const answer = await load(mine.signal)
      if (mine.signal.aborted) return
      data.value = answer
      problem.value = null
    } catch (error) {
      if (!mine.signal.aborted) problem.value = error
    } finally {
      clearTimeout(timer)
      isSlow.value = false
    }
  }
  const onFocus = () => document.visibilityState === 'visible' && void reload()
  // Reloads failed data after the user signs in again.
  const session = findSession()
  if (session)
    watch(session.state, state => {
      if (state === 'open' && problem.value !== null) void reload()
    })
  if (options.onFocus) document.addEventListener('visibilitychange', onFocus)
  onScopeDispose(() => {
    current.abort()
    document.removeEventListener('visibilitychange', onFocus)
  })
  void reload()
  return { data, problem, isSlow, reload }
}
