/** List that is fetched in pages, newest first. A reload fetches as many pages as are shown. */
import { computed, ref } from 'vue'
import { useLoad } from '../../load.ts'

interface Page<T> {
  items: T[]
  /** Cursor of the next older page; null on the last page. */
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
  /** Returns null until `loaded` exists, because the first load starts inside `useLoad`. */
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
      // A reload would abort the request for the older page that the user is waiting for.
      if (!isOlderWanted.value) await loaded.reload()
    },
    older: async () => {
      isOlderWanted.value = true
      await loaded.reload()
      isOlderWanted.value = false
    },
  }
}
