/** Tracks which suggested spans the user has changed in this text. Spans by `markKey`. */
import { shallowReactive, watch } from 'vue'
import { markKey, type SpanSource } from '../marks/marks.ts'
import { readSpans } from '../spans.ts'

export function useTouched(text: () => string, sources: () => readonly SpanSource[]) {
  /** Removed by the user; not suggested again. */
  const dismissed = shallowReactive(new Set<string>())
  /** Filled in from the suggestion. They keep the pencil style beside the user's own marks until the user changes them. */
  const pencilled = shallowReactive(new Set<string>())

  watch(text, () => {
    dismissed.clear()
    pencilled.clear()
  })
  watch(
    sources,
    all => {
      for (const { question, value, isPencil } of all) {
        if (isPencil) for (const span of readSpans(value) ?? []) pencilled.add(markKey(question, span))
      }
    },
    { immediate: true },
  )
  return { dismissed, pencilled }
}
