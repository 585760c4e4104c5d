/**
 * The records a person walks through: a window over the server's list that stays ahead of them, so that the next record is
 * there before it is asked for. What was answered stays in the window, so that *previous* steps back into it.
 */
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordResponse } from '@postil/domain/responses'
import { computed, type ShallowRef, shallowRef, triggerRef } from 'vue'
import { WINDOW_SIZE, windowStart } from './first-window.ts'

export interface QueueItem {
  readonly record: DatasetRecord
  readonly score: number | null
  readonly highlights: Readonly<Record<string, unknown>> | null
  /** Mine, as it will be once all writes have arrived. */
  response: RecordResponse | null
  /** No longer in the server's list for this queue, because of what was done here. */
  hasLeft: boolean
}

export interface QueuePage {
  items: Omit<QueueItem, 'hasLeft'>[]
  /** How many places of the server's list it covers: what was answered and is on its way there is not among the items. */
  size: number
  total: number
}

export type FetchPage = (offset: number, limit: number) => Promise<QueuePage>

/** At least so many are ready on each side. */
const AHEAD = 20
/** So many more are asked for at most, because of answers on their way. */
const UNSENT_MAX = 100
/** More than this behind is let go: a day's work must not fill the memory. */
const BEHIND_MAX = 40

export type RecordQueue = ReturnType<typeof openRecordQueue>

/** `countUnsent`: so many answers may still be on their way. */
export function openRecordQueue(fetchPage: FetchPage, report: (error: unknown) => void, countUnsent: () => number) {
  const items: ShallowRef<QueueItem[]> = shallowRef([])
  /** Of items[0] in the server's list. */
  const start = shallowRef(0)
  const index = shallowRef(0)
  const total = shallowRef(0)
  const isLoaded = shallowRef(false)
  /** More records may be on their way. */
  const isFilling = shallowRef(false)
  /** Of those that were let go, so many had left the list: positions go on counting them. */
  const left = shallowRef(0)
  let loads = 0
  let isAtEnd = false
  let hasSwept = false
  let ahead: Promise<void> | null = null
  let behind: Promise<void> | null = null
  let skipped: QueueItem[] = []

  const current = computed(() => items.value[index.value] ?? null)
  /** From 1, counted over what was answered here too. */
  const position = computed(() => (items.value.length === 0 ? 0 : start.value + left.value + index.value + 1))
  /** From 0, in the server's list as it is now: a reload at it shows the same record. */
  const serverPosition = computed(() => start.value + items.value.slice(0, index.value).filter(({ hasLeft }) => !hasLeft).length)
  const upcoming = computed(() => items.value.slice(index.value + 1, index.value + 4))

  function append(page: QueuePage): number {
    const known = new Set([...items.value, ...skipped].map(({ record }) => record.id))
    const fresh = page.items.filter(({ record }) => !known.has(record.id)).map(item => ({ ...item, hasLeft: false }))
    if (fresh.length > 0) items.value = [...items.value, ...fresh]
    return fresh.length
  }

  /** Opens at a position, counted from 0; past the end it opens at the last record. */
  async function load(position: number): Promise<void> {
    const mine = ++loads
    let first = windowStart(position)
    let page = await fetchPage(first, WINDOW_SIZE)
    if (page.items.length === 0 && first > 0) {
      first = Math.max(0, page.total - WINDOW_SIZE)
      page = await fetchPage(first, WINDOW_SIZE)
    }
    // Something else was asked for meanwhile.
    if (mine !== loads) return
    start.value = first
    items.value = page.items.map(item => ({ ...item, hasLeft: false }))
    total.value = page.total
    index.value = Math.max(0, Math.min(position - start.value, items.value.length - 1))
    isAtEnd = start.value + items.value.length >= page.total
    hasSwept = start.value === 0
    skipped = []
    left.value = 0
    isLoaded.value = true
  }

  const isLow = () => items.value.length - index.value <= AHEAD

  async function fillAhead(): Promise<void> {
    // Before the window lie records that were not looked at yet: they are not what slipped past.
    if (isAtEnd && (hasSwept || start.value > 0)) return
    // What left the list here no longer counts there.
    let offset = isAtEnd ? 0 : start.value + items.value.filter(({ hasLeft }) => !hasLeft).length
    for (;;) {
      // Answers that have not arrived yet leave known records in the list, before those that are asked for.
      const page = await fetchPage(offset, WINDOW_SIZE + Math.min(countUnsent(), UNSENT_MAX))
      const fresh = append(page)
      const isLast = page.size === 0 || offset + page.size >= page.total
      if (isLast) {
        // Others finish records meanwhile, so that some slip past: the list is gone through once more from its start.
        if (isAtEnd) hasSwept = fresh === 0
        isAtEnd = true
      }
      if (isLast || !isLow()) return
      // No further: those that arrive meanwhile let the rest move up.
      offset += Math.min(page.size, WINDOW_SIZE)
    }
  }

  async function fillBehind(): Promise<void> {
    if (start.value === 0) return
    const offset = Math.max(0, start.value - AHEAD)
    const page = await fetchPage(offset, start.value - offset)
    const known = new Set(items.value.map(({ record }) => record.id))
    const fresh = page.items.filter(({ record }) => !known.has(record.id)).map(item => ({ ...item, hasLeft: false }))
    items.value = [...fresh, ...items.value]
    index.value += fresh.length
    start.value = offset
  }

  /** Keeps both sides filled, in the background. */
  function fill(): void {
    isFilling.value = !(isAtEnd && hasSwept)
    // At the end of a walk that began in the middle, what lies before it is next.
    if (index.value >= items.value.length && start.value > 0) return void load(0).catch(report)
    if (isLow())
      ahead ??= fillAhead()
        .catch(report)
        .finally(() => {
          ahead = null
          isFilling.value = false
        })
    if (index.value < AHEAD && start.value > 0)
      behind ??= fillBehind()
        .catch(report)
        .finally(() => {
          behind = null
        })
  }

  function trim(): void {
    const extra = index.value - BEHIND_MAX
    if (extra <= 0) return
    const gone = items.value.slice(0, extra)
    items.value = items.value.slice(extra)
    index.value -= extra
    start.value += gone.filter(({ hasLeft }) => !hasLeft).length
    left.value += gone.filter(({ hasLeft }) => hasLeft).length
  }

  /** True when there was somewhere to go; `isThrough`: past the last record too, to where there is nothing left. */
  function move(step: 1 | -1, isThrough = false): boolean {
    const target = index.value + step
    if (target < 0 || target > items.value.length) return false
    if (target === items.value.length && !takeSkipped() && !isThrough) {
      fill()
      return false
    }
    index.value = target
    if (step === 1) trim()
    fill()
    return true
  }

  /** Those that were put off come last. */
  function takeSkipped(): boolean {
    if (skipped.length === 0) return false
    items.value = [...items.value, ...skipped]
    skipped = []
    return true
  }

  /** The current record goes to the end; the next one takes its place. */
  function skip(): void {
    const item = current.value
    if (!item) return
    skipped.push(item)
    items.value = items.value.filter(one => one !== item)
    if (index.value >= items.value.length && !takeSkipped()) index.value = Math.max(0, items.value.length - 1)
    fill()
  }

  /** The current record is no more; the next one takes its place. */
  function drop(): void {
    const item = current.value
    if (!item) return
    items.value = items.value.filter(one => one !== item)
    total.value = Math.max(0, total.value - 1)
    if (index.value >= items.value.length) takeSkipped()
    fill()
  }

  function find(recordId: string): QueueItem | undefined {
    return items.value.find(({ record }) => record.id === recordId)
  }

  /** What the person just did to a record; `isHere`: it still belongs to this queue. */
  function change(recordId: string, response: RecordResponse | null, isHere: boolean): void {
    const item = find(recordId)
    if (!item) return
    item.response = response
    item.hasLeft = !isHere
    triggerRef(items)
  }

  function goTo(recordId: string): boolean {
    const at = items.value.findIndex(({ record }) => record.id === recordId)
    if (at >= 0) index.value = at
    return at >= 0
  }

  /** A record that is in no list here, such as one of *recent*: shown at the present place. */
  function insert(item: Omit<QueueItem, 'hasLeft'>): void {
    if (goTo(item.record.id)) return
    items.value = items.value.toSpliced(index.value, 0, { ...item, hasLeft: true })
  }

  /** Waits for the records that are on their way. */
  async function settled(): Promise<void> {
    await Promise.all([ahead, behind])
  }

  /** The server refused what was done to it: it is the next to be shown, never pulled over the one in hand. */
  function bringBack(recordId: string): void {
    const at = items.value.findIndex(({ record }) => record.id === recordId)
    const item = items.value[at]
    if (!item || at >= index.value) return
    item.hasLeft = false
    items.value = items.value.toSpliced(index.value + 1, 0, item).toSpliced(at, 1)
    index.value--
  }

  /** Somebody else or another tab finished a record: it goes unless it is in hand. */
  function remove(recordId: string): void {
    const at = items.value.findIndex(({ record }) => record.id === recordId)
    if (at <= index.value) return
    items.value = items.value.toSpliced(at, 1)
    total.value = Math.max(0, total.value - 1)
  }

  return {
    ...{ items, current, upcoming, index, total, isLoaded, isFilling, position, serverPosition },
    ...{ load, fill, move, skip, drop, find, change, goTo, insert, bringBack, remove, settled },
  }
}
