/** Pending edits of filters and sort keys. Applied after a debounce of 500 ms, or when the panel closes. */
import { computed, onScopeDispose, type Ref, shallowRef, watch } from 'vue'
import type { Criteria } from './query/criteria.ts'
import { writeCriteria } from './query/url-state.ts'

const PAUSE_MS = 500

type Edited = Pick<Criteria, 'filters' | 'sort'>

export function usePending(criteria: Readonly<Ref<Criteria>>, apply: (criteria: Criteria) => void) {
  const pending = shallowRef<Edited | null>(null)
  const shown = computed(() => ({ ...criteria.value, ...pending.value }))
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (pending.value === null) return
    const isChanged = JSON.stringify(writeCriteria(shown.value)) !== JSON.stringify(writeCriteria(criteria.value))
    if (isChanged) apply(shown.value)
    else pending.value = null
  }

  function edit(change: Partial<Edited>): void {
    pending.value = { filters: shown.value.filters, sort: shown.value.sort, ...change }
    clearTimeout(timer)
    timer = setTimeout(flush, PAUSE_MS)
  }

  // The applied edits have arrived; newer edits are kept.
  watch(criteria, () => {
    if (timer === undefined) pending.value = null
  })
  onScopeDispose(() => clearTimeout(timer))
  return { shown, edit, flush }
}
