/**
 * Reads pages of the server's list into a window. Every load begins a new walk; what an earlier walk asked for, an answer or an
 * error, belongs to that walk and is not used any more. A walk asks for at most one page on each side at a time.
 */
import { computed, type ShallowRef, shallowReactive, shallowRef } from 'vue'
import { WINDOW_SIZE, windowStart } from './first-window.ts'
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
  /** So many answers may still be on their way. */
  countUnsent(): number
}

interface Walk {
  state: 'unasked' | 'loading' | 'loaded' | 'failed'
  /** Where it was asked to open, from 0. */
  readonly position: number
  /** The record in hand when it was asked for. */
  readonly inHand: QueueItem | null
  loading: Promise<void> | null
  ahead: Promise<void> | null
  behind: Promise<void> | null
}

/** So many known records are asked for again: answers may overtake the request, and the list moves up before it is read. */
const OVERLAP = 5
/** So many more are asked for at most, because of answers on their way. */
const UNSENT_MAX = 100

const newWalk = (state: Walk['state'], position: number, inHand: QueueItem | null): Walk =>
  shallowReactive({ state, position, inHand, loading: null, ahead: null, behind: null })

export function openWindowLoader(window: ShallowRef<RecordWindow>, { fetchPage, report, countUnsent }: LoaderOptions) {
  const walk = shallowRef(newWalk('unasked', 0, null))
  const isLoaded = shallowRef(false)
  /** More records may be on their way. */
  const isFilling = computed(() => walk.value.state === 'loading' || walk.value.ahead !== null)
  const isOver = (mine: Walk) => mine !== walk.value

  /** Rejects when the list could not be read, unless another one was asked for meanwhile. */
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

  /** Null when another list was asked for meanwhile. */
  async function readFirst(mine: Walk): Promise<RecordWindow | null> {
    const first = windowStart(mine.position)
    const page = await fetchPage(first, WINDOW_SIZE)
    if (isOver(mine)) return null
    if (page.items.length > 0 || first === 0) return opened(page, first, mine.position)
    const last = Math.max(0, page.total - WINDOW_SIZE)
    const lastPage = await fetchPage(last, WINDOW_SIZE)
    return isOver(mine) ? null : opened(lastPage, last, mine.position)
  }

  /** Keeps both sides filled, in the background. */
  function fill(): void {
    const mine = walk.value
    if (mine.state === 'failed') return void reopen(positionAfter(mine))
    // Offsets of the window on screen mean nothing in a list that is still on its way.
    if (mine.state !== 'loaded') return
    // At the end of a walk that began in the middle, what lies before it is next.
    if (isPastEnd(window.value) && window.value.start > 0) return void reopen(0)
    if (needsAhead(window.value)) run(mine, 'ahead', fillAhead)
    if (needsBehind(window.value)) run(mine, 'behind', fillBehind)
  }

  const reopen = (position: number) => load(position).then(fill).catch(report)

  /** A list that could not be loaded opens where it was asked to, or at the record in hand if the person went on meanwhile. */
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
      // Answers that have not arrived yet leave known records in the list, before those that are asked for.
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
      // No further: those that arrive meanwhile let the rest move up.
      offset = from + Math.min(page.size, WINDOW_SIZE)
      // A short page is the end of an offline copy. Only the server has more; with the overlap the same records would come again.
      overlap = page.size < limit ? 0 : OVERLAP
    }
  }

  async function fillBehind(mine: Walk): Promise<void> {
    const { start } = window.value
    const offset = Math.max(0, start - AHEAD)
    const page = await fetchPage(offset, start - offset)
    // The person went on, and the records that it would join were let go.
    if (isOver(mine) || window.value.start !== start) return
    window.value = prepended(window.value, page, offset)
  }

  /** Waits for the records that are on their way. */
  async function settled(): Promise<void> {
    const { loading, ahead, behind } = walk.value
    await Promise.all([loading, ahead, behind])
  }

  return { isLoaded, isFilling, load, fill, settled }
}
