/** Exports of a dataset, newest first. Running exports are polled until they end. */
import type { Export } from '@postil/domain/exports'
import { computed, onScopeDispose, shallowRef } from 'vue'
import { isGone } from '../problems.ts'
import { useSession } from '../session/use-session.ts'
import { usePolling } from '../use-polling.ts'
import { isEnded } from './job-state.ts'

const POLL_MS = 1_000
const PAGE = 10

export function useExports(datasetId: string) {
  const { api } = useSession()
  const items = shallowRef<readonly Export[] | null>(null)
  const next = shallowRef<string | null>(null)
  const problem = shallowRef<unknown>(null)
  const isLoading = shallowRef(false)
  const abort = new AbortController()
  onScopeDispose(() => abort.abort())

  /** Stores the error, unless the list has been unmounted. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      problem.value = null
    } catch (error) {
      if (!abort.signal.aborted) problem.value = error
    }
  }

  const load = () =>
    attempt(async () => {
      isLoading.value = true
      try {
        const before = next.value === null ? {} : { before: next.value }
        const params = { dataset_id: datasetId }
        const page = await api.listExports({ params, query: { limit: PAGE, ...before } }, { signal: abort.signal })
        const known = new Set(items.value?.map(({ id }) => id))
        items.value = [...(items.value ?? []), ...page.items.filter(({ id }) => !known.has(id))]
        next.value = page.next
      } finally {
        isLoading.value = false
      }
    })

  const replace = (changed: Export) => {
    items.value = (items.value ?? []).map(one => (one.id === changed.id ? changed : one))
  }
  const running = computed(() => (items.value ?? []).filter(({ status }) => !isEnded(status)))

  const poll = () =>
    attempt(async () => {
      for (const { id } of running.value) {
        try {
          replace(await api.getExport({ params: { export_id: id } }, { signal: abort.signal }))
        } catch (error) {
          // Deleted with its dataset or in another tab.
          if (!isGone(error)) throw error
          items.value = (items.value ?? []).filter(one => one.id !== id)
        }
      }
    })
  usePolling(() => running.value.length > 0, poll, POLL_MS)
  void load()

  return {
    items,
    problem,
    isLoading,
    hasOlder: computed(() => next.value !== null),
    load,
    add: (started: Export) => {
      items.value = [started, ...(items.value ?? [])]
    },
    cancel: ({ id }: Export) => attempt(async () => replace(await api.cancelExport({ params: { export_id: id } }))),
  }
}
