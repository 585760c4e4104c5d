/** Search box of a question: query, hits, and the action of Enter. */
import { computed, ref, shallowRef } from 'vue'
import type { Choice } from './choices.ts'
import { findIn } from './fuzzy.ts'

const NONE: ReadonlyMap<string, readonly number[]> = new Map()

export function useSearch(choices: () => readonly Choice[]) {
  const query = ref('')
  const input = shallowRef<HTMLInputElement | null>(null)
  const isFocused = ref(false)
  /** True if Enter has already taken the first hit of the current query. */
  const isTaken = ref(false)

  const hits = computed(() => (query.value.trim() === '' ? null : findIn(choices(), query.value)))
  const found = computed(() => hits.value?.map(({ item }) => item) ?? null)
  const places = computed(() => (hits.value ? new Map(hits.value.map(({ item, places }) => [item.value, places])) : NONE))

  function type(text: string) {
    query.value = text
    isTaken.value = false
  }
  const clear = () => type('')

  /** Returns the first hit. Returns null and clears the query if there is none or if it was already taken. */
  function takeFirst(): Choice | null {
    const first = found.value?.[0]
    if (isTaken.value || first === undefined) {
      if (isTaken.value) clear()
      return null
    }
    isTaken.value = true
    // Selected, so that typing replaces the query.
    input.value?.select()
    return first
  }

  /** Starts the search with a letter typed on an option. */
  function begin(letter: string) {
    type(query.value + letter)
    input.value?.focus()
  }

  return { query, input, isFocused, found, places, type, clear, takeFirst, begin }
}
