/** What a person has and has not touched of the suggested spans while this text is in hand. Spans by `markKey`. */
import { shallowReactive, watch } from 'vue'
import { markKey, type SpanSource } from './marks.ts'
import { readSpans } from './spans.ts'

export function useTouched(text: () => string, sources: () => readonly SpanSource[]) {
  /** Taken away: they are not suggested once more. */
  const dismissed = shallowReactive(new Set<string>())
  /** Filled in from the suggestion: they stay pencil beside what the person marks, until they are touched themselves. */
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
