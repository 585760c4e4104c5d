/** A list that the server gives in pages, newest first. Reloading asks again for as many pages as are shown. */
import { computed, ref } from 'vue'
import { useLoad } from '../../load.ts'

interface Page<T> {
  items: T[]
  /** What the next older page begins with; null on the last one. */
  next: string | null
}

interface Shown<T> extends Page<T> {
  pages: number
}

export function usePages<T>(
  fetchPage: (before: { before?: string }, signal: AbortSignal) => Promise<Page<T>>,
  options: { onFocus?: boolean } = {},
) {
  const isOlderWanted = ref(false)
  /** The first load begins before there is anything to read. */
  let shown = (): Shown<T> | null => null

  async function fetchAll(signal: AbortSignal): Promise<Shown<T>> {
    const wanted = shown()?.pages ?? 1
    const all: Shown<T> = { items: [], next: null, pages: 0 }
    do {
      const { items, next } = await fetchPage(all.next === null ? {} : { before: all.next }, signal)
      all.items.push(...items)
      all.next = next
      all.pages++
    } while (all.next !== null && all.pages < wanted)
    return all
  }

  async function fetchOlder({ items, next, pages }: Shown<T>, signal: AbortSignal): Promise<Shown<T>> {
    const older = await fetchPage(next === null ? {} : { before: next }, signal)
    return { items: [...items, ...older.items], next: older.next, pages: pages + 1 }
  }

  const loaded = useLoad<Shown<T>>(signal => {
    const now = isOlderWanted.value ? shown() : null
    return now === null || now.next === null ? fetchAll(signal) : fetchOlder(now, signal)
  }, options)

  shown = () => loaded.data.value

  return {
    items: computed(() => loaded.data.value?.items ?? null),
    hasOlder: computed(() => (loaded.data.value?.next ?? null) !== null),
    isLoadingOlder: computed(() => isOlderWanted.value),
    problem: loaded.problem,
    isSlow: loaded.isSlow,
    reload: async () => {
      // It would end the call for the older page, which somebody waits for.
      if (!isOlderWanted.value) await loaded.reload()
    },
    older: async () => {
      isOlderWanted.value = true
      await loaded.reload()
      isOlderWanted.value = false
    },
  }
}
