/**
 * The records a person walks through: a window over the server's list that stays ahead of them, so that the next record is
 * there before it is asked for. What was answered stays in the window, so that *previous* steps back into it.
 */
import type { RecordResponse } from '@postil/domain/responses'
import { computed, shallowRef } from 'vue'
import {
  broughtBack,
  currentOf,
  dropped,
  EMPTY,
  findItem,
  inserted,
  positionOf,
  putOff,
  type QueueItem,
  type RecordWindow,
  refreshed,
  removed,
  type Step,
  serverPositionOf,
  stepped,
  turnedTo,
} from './record-window.ts'
import { type FetchPage, openWindowLoader } from './window-loader.ts'

export type { QueueItem, QueuePage } from './record-window.ts'

export type RecordQueue = ReturnType<typeof openRecordQueue>

/** `countUnsent`: so many answers may still be on their way. */
export function openRecordQueue(fetchPage: FetchPage, report: (error: unknown) => void, countUnsent: () => number) {
  const window = shallowRef<RecordWindow>(EMPTY)
  const { isLoaded, isFilling, load, fill, settled } = openWindowLoader(window, { fetchPage, report, countUnsent })

  const items = computed(() => window.value.items)
  const index = computed(() => window.value.index)
  const total = computed(() => window.value.total)
  const current = computed(() => currentOf(window.value))
  const position = computed(() => positionOf(window.value))
  const serverPosition = computed(() => serverPositionOf(window.value))
  const upcoming = computed(() => items.value.slice(index.value + 1, index.value + 4))

  function show(next: RecordWindow): void {
    window.value = next
  }

  /** True when there was somewhere to go; `isThrough`: past the last record too, to where there is nothing left. */
  function move(step: Step, isThrough = false): boolean {
    const next = stepped(window.value, step, isThrough)
    if (next) show(next)
    // A person who waits at the last record asks for more.
    if (next || step === 1) fill()
    return next !== null
  }

  /** The current record goes to the end; the next one takes its place. */
  function skip(): void {
    show(putOff(window.value))
    fill()
  }

  /** The current record is no more; the next one takes its place. */
  function drop(): void {
    show(dropped(window.value))
    fill()
  }

  const find = (recordId: string) => findItem(window.value, recordId)

  /** What the person just did to a record; `isHere`: it still belongs to this queue. */
  function change(recordId: string, response: RecordResponse | null, isHere: boolean): void {
    const item = find(recordId)
    if (!item) return
    item.response = response
    item.hasLeft = !isHere
    show(refreshed(window.value))
  }

  function goTo(recordId: string): boolean {
    const next = turnedTo(window.value, recordId)
    if (next) show(next)
    return next !== null
  }

  /** A record that is in no list here, such as one of *recent*: shown at the present place. */
  function insert(item: Omit<QueueItem, 'hasLeft'>): void {
    show(inserted(window.value, item))
  }

  /** The server refused what was done to it: it is the next to be shown, never pulled over the one in hand. */
  function bringBack(recordId: string): void {
    const next = broughtBack(window.value, recordId)
    const item = find(recordId)
    if (next === window.value || !item) return
    item.hasLeft = false
    show(next)
  }

  /** Somebody else or another tab finished a record: it goes unless it is in hand. */
  function remove(recordId: string): void {
    show(removed(window.value, recordId))
  }

  return {
    ...{ items, current, upcoming, index, total, isLoaded, isFilling, position, serverPosition },
    ...{ load, fill, move, skip, drop, find, change, goTo, insert, bringBack, remove, settled },
  }
}
