/** Visible options of a question: search hits, or all options, or those before the fold. */
import { computed, ref } from 'vue'
import { useSession } from '../../session/use-session.ts'
import { type Choice, canFold, foldChoices, hasSearch as needsSearch } from './choices.ts'
import { readMemory, writeMemory } from './memory.ts'
import { useSearch } from './use-search.ts'

interface Options {
  questionId: string
  /** In the order of the question, which search and numbers use. */
  choices(): readonly Choice[]
  /** In display order. */
  ordered(): readonly Choice[]
  visible(): number | null
  /** Options that are always shown, even if folded. */
  kept?(): ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

export function useShownOptions({ questionId, choices, ordered, visible, kept }: Options) {
  const { items } = useSession()
  const memory = ref(readMemory(items, questionId))
  const search = useSearch(choices)
  const canBeFolded = computed(() => canFold(choices().length, visible()))
  const hasSearch = computed(() => needsSearch(choices().length, visible()))
  const isExpanded = computed(() => memory.value.isExpanded)
  const shown = computed(() => {
    const limit = visible()
    if (search.found.value) return search.found.value
    if (isExpanded.value || !canFold(choices().length, limit)) return ordered()
    return foldChoices(ordered(), limit, kept?.() ?? NONE)
  })
  const hiddenCount = computed(() => (search.found.value ? 0 : ordered().length - shown.value.length))

  function remember(change: Partial<typeof memory.value>): void {
    memory.value = { ...memory.value, ...change }
    writeMemory(items, questionId, memory.value)
  }
  /** Returns true if options were folded. */
  function expand(): boolean {
    const isMore = hiddenCount.value > 0
    if (isMore) remember({ isExpanded: true })
    return isMore
  }
  const toggle = () => remember({ isExpanded: !isExpanded.value })

  return { memory, search, shown, hiddenCount, hasSearch, canBeFolded, isExpanded, remember, expand, toggle }
}

export type ShownOptions = ReturnType<typeof useShownOptions>
