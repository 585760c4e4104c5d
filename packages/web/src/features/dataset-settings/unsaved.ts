/** Edits that are not saved hold back whoever leaves: the tab, the page, or the browser's tab. */
import { type InjectionKey, inject, onScopeDispose, provide, type Ref, shallowReactive, shallowRef, watch } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate } from 'vue-router'

const UNSAVED: InjectionKey<Set<symbol>> = Symbol('unsaved')

/** For the page: what asks the person, or null while nothing is to be asked. */
export function useUnsavedGuard() {
  const edited = shallowReactive(new Set<symbol>())
  provide(UNSAVED, edited)
  const answer = shallowRef<((isLeaving: boolean) => void) | null>(null)

  function ask(): true | Promise<boolean> {
    if (edited.size === 0) return true
    // A second way out replaces the first.
    answer.value?.(false)
    return new Promise(resolve => {
      answer.value = isLeaving => {
        answer.value = null
        resolve(isLeaving)
      }
    })
  }

  onBeforeRouteLeave(ask)
  onBeforeRouteUpdate((to, from) => (to.query.tab === from.query.tab && to.params.id === from.params.id ? true : ask()))
  const onUnload = (event: BeforeUnloadEvent) => {
    if (edited.size > 0) event.preventDefault()
  }
  addEventListener('beforeunload', onUnload)
  onScopeDispose(() => removeEventListener('beforeunload', onUnload))
  return answer
}

/** For a block: says whether it holds edits. */
export function useUnsaved(isEdited: Readonly<Ref<boolean>>): void {
  const edited = inject(UNSAVED, null)
  const token = Symbol('block')
  watch(isEdited, now => (now ? edited?.add(token) : edited?.delete(token)), { immediate: true, flush: 'sync' })
  onScopeDispose(() => edited?.delete(token))
}
