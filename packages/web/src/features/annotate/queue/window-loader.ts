/**
 * Loads pages of the server's list into a window. Every load starts a new walk; responses and errors of earlier walks are
 * ignored. A walk has at most one pending request on each side.
 */
import { WINDOW_SIZE, windowStart } from '@postil/domain/api/first-calls'
import { computed, type ShallowRef, shallowReactive, shallowRef } from 'vue'
import {
  AHEAD,
  appended,
  currentOf,
  isLow,
  isPastEnd,
  joins,
  needsAhead,
  needsBehind,
  nextOffset,
  opened,
  prepended,
  type QueueItem,
  type QueuePage,
  type RecordWindow,
  serverPositionOf,
} from './record-window.ts'

export type FetchPage = (offset: number, limit: number) => Promise<QueuePage>

export interface LoaderOptions {
  fetchPage: FetchPage
  report(error: unknown): void
  /** Number of answers that may not have reached the server yet. */
  countUnsent(): number
}

interface Walk {
  state: 'unasked' | 'loading' | 'loaded' | 'failed'
  /** Requested start position, starting at 0. */
  readonly position: number
  /** The current record at the time of the request. */
  readonly inHand: QueueItem | null
  loading: Promise<void> | null
  ahead: Promise<void> | null
  behind: Promise<void> | null
}

/** Number of known records to request again, because answers may overtake the request and shift the list before it is read. */
const OVERLAP = 5
/** Maximum number of additional records to request because of unsent answers. */
const UNSENT_MAX = 100

const newWalk = (state: Walk['state'], position: number, inHand: QueueItem | null): Walk =>
  shallowReactive({ state, position, inHand, loading: null, ahead: null, behind: null })

export function openWindowLoader(window: ShallowRef<RecordWindow>, { fetchPage, report, countUnsent }: LoaderOptions) {
  const walk = shallowRef(newWalk('unasked', 0, null))
  const isLoaded = shallowRef(false)
  /** True while more records may arrive. */
  const isFilling = computed(() => walk.value.state === 'loading' || walk.value.ahead !== null)
  const isOver = (mine: Walk) => mine !== walk.value

  /** Rejects if the list could not be read, unless another list was requested in the meantime. */
  function load(position: number): Promise<void> {
    const mine = newWalk('loading', position, currentOf(window.value))
    walk.value = mine
    const loading = open(mine)
    mine.loading = loading.catch(() => undefined)
    return loading
  }

  async function open(mine: Walk): Promise<void> {
    try {
      const next = await readFirst(mine)
      if (next === null) return
      window.value = next
      mine.state = 'loaded'
      isLoaded.value = true
    } catch (error) {
      if (isOver(mine)) return
      mine.state = 'failed'
      throw error
    }
  }

  /** Returns null if another list was requested in the meantime. */
  async function readFirst(mine: Walk): Promise<RecordWindow | null> {
    const first = windowStart(mine.position)
    const page = await fetchPage(first, WINDOW_SIZE)
    if (isOver(mine)) return null
    if (page.items.length > 0 || first === 0) return opened(page, first, mine.position)
    const last = Math.max(0, page.total - WINDOW_SIZE)
    const lastPage = await fetchPage(last, WINDOW_SIZE)
    return isOver(mine) ? null : opened(lastPage, last, mine.position)
  }

  /** Prefetches both sides in the background. */
  function fill(): void {
    const mine = walk.value
    if (mine.state === 'failed') return void reopen(positionAfter(mine))
    // The offsets of the current window are not valid in a list that is still loading.
    if (mine.state !== 'loaded') return
    // At the end of a walk that began in the middle, continues with the records before it.
    if (isPastEnd(window.value) && window.value.start > 0) return void reopen(0)
    if (needsAhead(window.value)) run(mine, 'ahead', fillAhead)
    if (needsBehind(window.value)) run(mine, 'behind', fillBehind)
  }

  const reopen = (position: number) => load(position).then(fill).catch(report)

  /** Position for a retry: the requested one, or the current record if the user has moved on in the meantime. */
  const positionAfter = ({ position, inHand }: Walk) =>
    currentOf(window.value) === inHand ? position : serverPositionOf(window.value)

  function run(mine: Walk, side: 'ahead' | 'behind', read: (mine: Walk) => Promise<void>): void {
    mine[side] ??= read(mine)
      .catch(error => {
        if (!isOver(mine)) report(error)
      })
      .finally(() => {
        mine[side] = null
      })
  }

  async function fillAhead(mine: Walk): Promise<void> {
    let offset = nextOffset(window.value)
    let overlap = OVERLAP
    let back = WINDOW_SIZE
    for (;;) {
      const { start } = window.value
      const from = Math.max(start, offset - overlap)
      // Unsent answers leave known records in the list, before the requested ones.
      const limit = Math.max(0, offset - from) + WINDOW_SIZE + Math.min(countUnsent(), UNSENT_MAX)
      const page = await fetchPage(from, limit)
      if (isOver(mine)) return
      if (from > start && !joins(window.value, page)) {
        offset = from - back
        back *= 2
        continue
      }
      const isLast = page.size === 0 || from + page.size >= page.total
      window.value = appended(window.value, page, isLast)
      if (isLast || !isLow(window.value)) return
      // Advances at most by `WINDOW_SIZE`, because answers that arrive in the meantime shift the remaining records.
      offset = from + Math.min(page.size, WINDOW_SIZE)
      // A short page is the end of an offline copy, and only the server has more; an overlap would return the same records again.
      overlap = page.size < limit ? 0 : OVERLAP
    }
  }

  async function fillBehind(mine: Walk): Promise<void> {
    const { start } = window.value
    const offset = Math.max(0, start - AHEAD)
    const page = await fetchPage(offset, start - offset)
    // The user has moved on, and the adjacent records were dropped.
    if (isOver(mine) || window.value.start !== start) return
    window.value = prepended(window.value, page, offset)
  }

  /** Waits for all pending requests. */
  async function settled(): Promise<void> {
    const { loading, ahead, behind } = walk.value
    await Promise.all([loading, ahead, behind])
  }

  return { isLoaded, isFilling, load, fill, settled }
}
