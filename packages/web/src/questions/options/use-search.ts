/** The search box of a question: what is typed, what it finds, and what Enter does. */
import { computed, ref, shallowRef } from 'vue'
import type { Choice } from './choices.ts'
import { findIn } from './fuzzy.ts'

const NONE: ReadonlyMap<string, readonly number[]> = new Map()

export function useSearch(choices: () => readonly Choice[]) {
  const query = ref('')
  const input = shallowRef<HTMLInputElement | null>(null)
  const isFocused = ref(false)
  /** Enter took the first hit of what is typed now. */
  const isTaken = ref(false)

  const hits = computed(() => (query.value.trim() === '' ? null : findIn(choices(), query.value)))
  const found = computed(() => hits.value?.map(({ item }) => item) ?? null)
  const places = computed(() => (hits.value ? new Map(hits.value.map(({ item, places }) => [item.value, places])) : NONE))

  function type(text: string) {
    query.value = text
    isTaken.value = false
  }
  const clear = () => type('')

  /** The first hit; null when there is none or Enter has taken it already, and then the box is empty again. */
  function takeFirst(): Choice | null {
    const first = found.value?.[0]
    if (isTaken.value || first === undefined) {
      if (isTaken.value) clear()
      return null
    }
    isTaken.value = true
    // What is typed next replaces it.
    input.value?.select()
    return first
  }

  /** Goes on with a letter that was typed on an option. */
  function begin(letter: string) {
    type(query.value + letter)
    input.value?.focus()
  }

  return { query, input, isFocused, found, places, type, clear, takeFirst, begin }
}
