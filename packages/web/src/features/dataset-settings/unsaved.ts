/** Asks for confirmation before unsaved edits are lost by leaving the settings tab, the page or the browser tab. */
import { type InjectionKey, inject, onScopeDispose, provide, type Ref, shallowReactive, shallowRef, watch } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate } from 'vue-router'

const UNSAVED: InjectionKey<Set<symbol>> = Symbol('unsaved')

/** Used by the page. The returned ref holds the callback for the user's answer while the confirmation is open, otherwise null. */
export function useUnsavedGuard() {
  const edited = shallowReactive(new Set<symbol>())
  provide(UNSAVED, edited)
  const answer = shallowRef<((isLeaving: boolean) => void) | null>(null)

  function ask(): true | Promise<boolean> {
    if (edited.size === 0) return true
    // A second navigation replaces the first.
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

/** Used by a block to report whether it has unsaved edits. */
export function useUnsaved(isEdited: Readonly<Ref<boolean>>): void {
  const edited = inject(UNSAVED, null)
  const token = Symbol('block')
  watch(isEdited, now => (now ? edited?.add(token) : edited?.delete(token)), { immediate: true, flush: 'sync' })
  onScopeDispose(() => edited?.delete(token))
}
