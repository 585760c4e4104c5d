/** Shows "13 submitted, Undo" for six seconds after an action. */
import { computed, onScopeDispose, ref, watch } from 'vue'
import { t } from '../../../i18n/i18n.ts'
import type { Annotation } from './annotation.ts'

const SHOWN_MS = 6_000

export function useUndoLine(annotation: Pick<Annotation, 'lastDone' | 'stack'>) {
  const isShown = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(annotation.lastDone, done => {
    clearTimeout(timer)
    isShown.value = done !== null
    timer = setTimeout(() => {
      isShown.value = false
    }, SHOWN_MS)
  })
  onScopeDispose(() => clearTimeout(timer))
  const text = computed(() => {
    const done = annotation.lastDone.value
    return isShown.value && done ? t(`annotate.done_${done.status ?? 'pending'}`, { count: done.count }) : ''
  })
  return { text, undo: () => annotation.stack.undo() }
}
