/**
 * Window over the server's list of records, as an immutable value: every step returns the next window, without requests or
 * waiting. Only the state of an item (`response`, `hasLeft`) changes in place, because the forms hold the same item.
 */
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordResponse } from '@postil/domain/responses'

export interface QueueItem {
  readonly record: DatasetRecord
  readonly score: number | null
  readonly highlights: Readonly<Record<string, unknown>> | null
  /** The user's response, including unsent writes. */
  response: RecordResponse | null
  /** True if an action of the user has removed the record from the server's list for this queue. */
  hasLeft: boolean
  /** True if the record was never in the server's list, but opened by a link or from *recent*. */
  readonly isGuest?: boolean
}

export interface QueuePage {
  items: Omit<QueueItem, 'hasLeft'>[]
  /**
   * Number of positions of the server's list that the page covers. Records with unsent answers count, but are not among the
   * items.
   */
  size: number
  total: number
}

export interface RecordWindow {
  /** Position of items[0] in the server's list. */
  readonly start: number
  readonly items: readonly QueueItem[]
  /** Index of the current record; `items.length` if past the last one. */
  readonly index: number
  readonly total: number
  /** Number of records that left the list and were then dropped from the window. Displayed positions include them. */
  readonly left: number
  /** Skipped records, which come last. */
  readonly skipped: readonly QueueItem[]
  /**
   * `reached`: the last record is loaded. `swept`: in addition, reading the list again from its start found no new records, or
   * was not necessary.
   */
  readonly end: 'open' | 'reached' | 'swept'
  /** True if the walk began at the first record, so that no records before it remain at the end. */
  readonly isFromStart: boolean
}

export type Step = 1 | -1

/** Minimum number of records to keep loaded on each side. */
export const AHEAD = 20
/** Records further behind are dropped, to limit memory over a long session. */
const BEHIND_MAX = 40

export const EMPTY: RecordWindow = {
  ...{ start: 0, items: [], index: 0, total: 0, left: 0 },
  ...{ skipped: [], end: 'open', isFromStart: true },
}

const countStaying = (items: readonly QueueItem[]) => items.filter(({ hasLeft }) => !hasLeft).length
const indexOf = ({ items }: RecordWindow, recordId: string) => items.findIndex(({ record }) => record.id === recordId)

export const currentOf = ({ items, index }: RecordWindow) => items[index] ?? null
/** Displayed position, starting at 1. Includes answered records. */
export const positionOf = ({ items, start, left, index }: RecordWindow) => (items.length === 0 ? 0 : start + left + index + 1)
/**
 * Number of records still in the queue. `total` includes records answered here, so that positions stay stable; they are
 * subtracted.
 */
export const countLeft = ({ items, left, total }: RecordWindow) =>
  Math.max(0, total - left - items.filter(({ hasLeft, isGuest }) => hasLeft && !isGuest).length)
/** Position in the server's current list, starting at 0. A reload at this position shows the same record. */
export const serverPositionOf = ({ start, items, index }: RecordWindow) => start + countStaying(items.slice(0, index))
export const isPastEnd = ({ index, items }: RecordWindow) => index >= items.length

/** True if more records should be fetched and may exist. */
export const needsAhead = (window: RecordWindow) => isLow(window) && !isComplete(window)
export const needsBehind = ({ index, start }: RecordWindow) => index < AHEAD && start > 0
export const isLow = ({ items, index }: RecordWindow) => items.length - index <= AHEAD
/**
 * If the window does not start at 0, the records before it have not been visited yet, so reading the list again would not only
 * find missed records.
 */
const isComplete = ({ end, start }: RecordWindow) => end === 'swept' || (end === 'reached' && start > 0)

/** Records that left the list do not count in the server's offsets. At the end, the list is read again from its start. */
export const nextOffset = ({ end, start, items }: RecordWindow) => (end === 'open' ? start + countStaying(items) : 0)

const toItem = (item: Omit<QueueItem, 'hasLeft'>): QueueItem => ({ ...item, hasLeft: false })

/**
 * Creates the window at a position (starting at 0) from the page that begins at `start`. A position past the end becomes the last
 * record.
 */
export function opened(page: QueuePage, start: number, position: number): RecordWindow {
  const items = page.items.map(toItem)
  const index = Math.max(0, Math.min(position - start, items.length - 1))
  const isAtEnd = start + items.length >= page.total
  const window = { ...EMPTY, start, items, index, total: page.total, isFromStart: start === 0 }
  return isAtEnd ? { ...window, end: endAfter(window, 0) } : window
}

/**
 * Records can be missed while others finish records. Unless the walk began at the first record, the list is read again from its
 * start until no new records are found.
 */
function endAfter({ end, isFromStart }: RecordWindow, freshCount: number): RecordWindow['end'] {
  const isSwept = end === 'open' ? isFromStart : freshCount === 0
  return isSwept ? 'swept' : 'reached'
}

const knownIds = ({ items, skipped }: RecordWindow) => new Set([...items, ...skipped].map(({ record }) => record.id))

function freshItems(window: RecordWindow, page: QueuePage): QueueItem[] {
  const known = knownIds(window)
  return page.items.filter(({ record }) => !known.has(record.id)).map(toItem)
}

/** True if the page begins with a known record, so that there is no gap between the window and the page. */
export function joins(window: RecordWindow, { items, size }: QueuePage): boolean {
  const [first] = items
  const hasLeftOut = items.length < size
  return hasLeftOut || (first !== undefined && knownIds(window).has(first.record.id))
}

/** `isLast`: the page reaches the end of the server's list. */
export function appended(window: RecordWindow, page: QueuePage, isLast: boolean): RecordWindow {
  const fresh = freshItems(window, page)
  const end = isLast ? endAfter(window, fresh.length) : window.end
  return { ...window, end, items: fresh.length > 0 ? [...window.items, ...fresh] : window.items }
}

export function prepended(window: RecordWindow, page: QueuePage, offset: number): RecordWindow {
  const fresh = freshItems(window, page)
  return { ...window, start: offset, items: [...fresh, ...window.items], index: window.index + fresh.length }
}

/** Returns null if there is no record to move to. `isThrough` also allows a step past the last record. */
export function stepped(window: RecordWindow, step: Step, isThrough: boolean): RecordWindow | null {
  const index = window.index + step
  if (index < 0 || index > window.items.length) return null
  const next = index === window.items.length ? withSkipped(window) : window
  if (index === next.items.length && !isThrough) return null
  return step === 1 ? trimmed({ ...next, index }) : { ...next, index }
}

function trimmed(window: RecordWindow): RecordWindow {
  const extra = window.index - BEHIND_MAX
  if (extra <= 0) return window
  const staying = countStaying(window.items.slice(0, extra))
  return {
    ...window,
    items: window.items.slice(extra),
    index: window.index - extra,
    start: window.start + staying,
    left: window.left + extra - staying,
  }
}

/** Appends the skipped records. */
const withSkipped = (window: RecordWindow): RecordWindow =>
  window.skipped.length === 0 ? window : { ...window, items: [...window.items, ...window.skipped], skipped: [] }

function withoutCurrent(window: RecordWindow): RecordWindow {
  return { ...window, items: window.items.toSpliced(window.index, 1) }
}

/** Moves the current record to the end; the next one becomes current. */
export function putOff(window: RecordWindow): RecordWindow {
  const item = currentOf(window)
  if (!item) return window
  const next = { ...withoutCurrent(window), skipped: [...window.skipped, item] }
  return isPastEnd(next) ? withSkipped(next) : next
}

/** Removes the current record, which no longer exists; the next one becomes current. */
export function dropped(window: RecordWindow): RecordWindow {
  if (!currentOf(window)) return window
  const next = { ...withoutCurrent(window), total: Math.max(0, window.total - 1) }
  return isPastEnd(next) ? withSkipped(next) : next
}

export function findItem(window: RecordWindow, recordId: string): QueueItem | undefined {
  return window.items.find(({ record }) => record.id === recordId)
}

/** Copies the list of items, so that reactive readers notice that one of them changed. */
export const refreshed = (window: RecordWindow): RecordWindow => ({ ...window, items: [...window.items] })

/** Replaces records by newer versions of them, without moving any. */
export function renewed(window: RecordWindow, found: QueuePage['items']): RecordWindow {
  const newer = new Map(found.map(item => [item.record.id, item]))
  return { ...window, items: window.items.map(item => ({ ...item, ...newer.get(item.record.id) })) }
}

/** Returns null if the record is not in the window. */
export function turnedTo(window: RecordWindow, recordId: string): RecordWindow | null {
  const index = indexOf(window, recordId)
  return index < 0 ? null : { ...window, index }
}

/** Inserts a record that is not in the list at the current position. */
export const inserted = (window: RecordWindow, item: Omit<QueueItem, 'hasLeft'>): RecordWindow =>
  turnedTo(window, item.record.id) ?? {
    ...window,
    items: window.items.toSpliced(window.index, 0, { ...item, hasLeft: true, isGuest: true }),
  }

/** Moves a record from behind the current one to the next position. */
export function broughtBack(window: RecordWindow, recordId: string): RecordWindow {
  const at = indexOf(window, recordId)
  const item = window.items[at]
  if (!item || at >= window.index) return window
  const items = window.items.toSpliced(window.index + 1, 0, item).toSpliced(at, 1)
  return { ...window, items, index: window.index - 1 }
}

/** Removes a record that is ahead of the current one. */
export function removed(window: RecordWindow, recordId: string): RecordWindow {
  const at = indexOf(window, recordId)
  if (at <= window.index) return window
  return { ...window, items: window.items.toSpliced(at, 1), total: Math.max(0, window.total - 1) }
}
