/**
 * Keeps the overview of a dataset up to date: requests it again immediately while the server is still counting, then polls every
 * 15 seconds.
 */
import type { Overview } from '@postil/domain/overview'
import { onScopeDispose, type Ref, shallowRef, watch } from 'vue'
import type { Api } from '../../api.ts'

const AGAIN_MS = 15_000

export function useOverview(api: Api, datasetId: Readonly<Ref<string>>, days: Readonly<Ref<number>>) {
  const overview = shallowRef<Overview | null>(null)
  const problem = shallowRef<unknown>(null)
  let asking = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function ask(): Promise<void> {
    asking.abort()
    clearTimeout(timer)
    const mine = new AbortController()
    asking = mine
    const query = { days: days.value, utc_offset: -new Date().getTimezoneOffset() }
    try {
      for (;;) {
        const answer = await api.getDatasetOverview({ params: { dataset_id: datasetId.value }, query }, { signal: mine.signal })
        if (mine.signal.aborted) return
        overview.value = answer
        problem.value = null
        if (answer.reading === null) break
      }
    } catch (error) {
      if (mine.signal.aborted) return
      problem.value = error
    }
    timer = setTimeout(askIfSeen, AGAIN_MS)
  }

  /** Skips the request while the page is hidden; it is sent when the page becomes visible again. */
  const askIfSeen = () => void (document.visibilityState === 'visible' && ask())

  watch(datasetId, () => {
    overview.value = null
    void ask()
  })
  watch(days, () => void ask())
  document.addEventListener('visibilitychange', askIfSeen)
  onScopeDispose(() => {
    asking.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', askIfSeen)
  })
  void ask()
  return { overview, problem, ask }
}
