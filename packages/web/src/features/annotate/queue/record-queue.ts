/**
 * Queue of records: a window over the server's list that prefetches records ahead of the user. Answered records stay in the
 * window, so that *previous* can go back to them.
 */
import type { RecordResponse } from '@postil/domain/responses'
import { computed, shallowRef } from 'vue'
import {
  broughtBack,
  countLeft,
  currentOf,
  dropped,
  EMPTY,
  findItem,
  inserted,
  positionOf,
  putOff,
  type QueueItem,
  type QueuePage,
  type RecordWindow,
  refreshed,
  removed,
  renewed,
  type Step,
  serverPositionOf,
  stepped,
  turnedTo,
} from './record-window.ts'
import { type FetchPage, openWindowLoader } from './window-loader.ts'

export type { QueueItem, QueuePage } from './record-window.ts'

export type RecordQueue = ReturnType<typeof openRecordQueue>

/** `countUnsent`: number of answers that may not have reached the server yet. */
export function openRecordQueue(fetchPage: FetchPage, report: (error: unknown) => void, countUnsent: () => number) {
  const window = shallowRef<RecordWindow>(EMPTY)
  const { isLoaded, isFilling, load, fill, settled } = openWindowLoader(window, { fetchPage, report, countUnsent })

  const items = computed(() => window.value.items)
  const index = computed(() => window.value.index)
  const total = computed(() => window.value.total)
  const current = computed(() => currentOf(window.value))
  const position = computed(() => positionOf(window.value))
  const left = computed(() => countLeft(window.value))
  const serverPosition = computed(() => serverPositionOf(window.value))
  const upcoming = computed(() => items.value.slice(index.value + 1, index.value + 4))

  function show(next: RecordWindow): void {
    window.value = next
  }

  /** Returns true if the current record changed. `isThrough` also allows a step past the last record. */
  function move(step: Step, isThrough = false): boolean {
    const next = stepped(window.value, step, isThrough)
    if (next) show(next)
    // A user who waits at the last record triggers another request.
    if (next || step === 1) fill()
    return next !== null
  }

  /** Moves the current record to the end and shows the next one. */
  function skip(): void {
    show(putOff(window.value))
    fill()
  }

  /** Removes the current record, which no longer exists, and shows the next one. */
  function drop(): void {
    show(dropped(window.value))
    fill()
  }

  const find = (recordId: string) => findItem(window.value, recordId)

  /** Applies the user's action to a record. `isHere`: the record still belongs to this queue. */
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

  /** Inserts a record that is not in the list, such as one of *recent*, at the current position. */
  function insert(item: Omit<QueueItem, 'hasLeft'>): void {
    show(inserted(window.value, item))
  }

  /** Called when the server refused an answer: the record becomes the next one, but never replaces the current record. */
  function bringBack(recordId: string): void {
    const next = broughtBack(window.value, recordId)
    const item = find(recordId)
    if (next === window.value || !item) return
    item.hasLeft = false
    show(next)
  }

  /** Called when another user or tab finished a record: removes it unless it is the current one. */
  function remove(recordId: string): void {
    show(removed(window.value, recordId))
  }

  /** Shows newer versions of records that are in the list. */
  function renew(found: QueuePage['items']): void {
    show(renewed(window.value, found))
  }

  return {
    ...{ items, current, upcoming, index, total, isLoaded, isFilling, position, left, serverPosition },
    ...{ load, fill, move, skip, drop, find, change, goTo, insert, bringBack, remove, renew, settled },
  }
}
