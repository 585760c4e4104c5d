/**
 * A window over the server's list of records, as a value: every step answers the next window. Nothing here waits or asks the
 * server. Only an item's own state (`response`, `hasLeft`) changes in place, because the forms hold the same item.
 */
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordResponse } from '@postil/domain/responses'

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

export interface RecordWindow {
  /** Of items[0] in the server's list. */
  readonly start: number
  readonly items: readonly QueueItem[]
  /** Of the record in hand; `items.length` past the last one. */
  readonly index: number
  readonly total: number
  /** Of those that were let go, so many had left the list: positions go on counting them. */
  readonly left: number
  /** Put off until the end. */
  readonly skipped: readonly QueueItem[]
  /** `reached`: the last record is here. `swept`: and nothing was found when the list was read from its start once more. */
  readonly end: 'open' | 'reached' | 'swept'
  /** The walk began at the first record, so that nothing before it is left over at the end. */
  readonly isFromStart: boolean
}

export type Step = 1 | -1

/** At least so many are ready on each side. */
export const AHEAD = 20
/** More than this behind is let go: a day's work must not fill the memory. */
const BEHIND_MAX = 40

export const EMPTY: RecordWindow = {
  ...{ start: 0, items: [], index: 0, total: 0, left: 0 },
  ...{ skipped: [], end: 'open', isFromStart: true },
}

const countStaying = (items: readonly QueueItem[]) => items.filter(({ hasLeft }) => !hasLeft).length
const indexOf = ({ items }: RecordWindow, recordId: string) => items.findIndex(({ record }) => record.id === recordId)

export const currentOf = ({ items, index }: RecordWindow) => items[index] ?? null
/** From 1, counted over what was answered here too. */
export const positionOf = ({ items, start, left, index }: RecordWindow) => (items.length === 0 ? 0 : start + left + index + 1)
/** From 0, in the server's list as it is now: a reload at it shows the same record. */
export const serverPositionOf = ({ start, items, index }: RecordWindow) => start + countStaying(items.slice(0, index))
export const isPastEnd = ({ index, items }: RecordWindow) => index >= items.length

/** More records are to be asked for, and there may be some. */
export const needsAhead = (window: RecordWindow) => isLow(window) && !isComplete(window)
export const needsBehind = ({ index, start }: RecordWindow) => index < AHEAD && start > 0
export const isLow = ({ items, index }: RecordWindow) => items.length - index <= AHEAD
/** Before the window lie records that were not looked at yet: they are not what slipped past. */
const isComplete = ({ end, start }: RecordWindow) => end === 'swept' || (end === 'reached' && start > 0)

/** What left the list here no longer counts there. At the end, the list is read once more from its start. */
export const nextOffset = ({ end, start, items }: RecordWindow) => (end === 'open' ? start + countStaying(items) : 0)

const toItem = (item: Omit<QueueItem, 'hasLeft'>): QueueItem => ({ ...item, hasLeft: false })

/** Opened at a position, counted from 0, with the page that begins at `start`; past the end it is the last record. */
export function opened(page: QueuePage, start: number, position: number): RecordWindow {
  const items = page.items.map(toItem)
  const index = Math.max(0, Math.min(position - start, items.length - 1))
  const isAtEnd = start + items.length >= page.total
  const window = { ...EMPTY, start, items, index, total: page.total, isFromStart: start === 0 }
  return isAtEnd ? { ...window, end: endAfter(window, 0) } : window
}

/** Others finish records meanwhile, so that some slip past: where that can be, the list is read once more from its start. */
function endAfter({ end, isFromStart }: RecordWindow, freshCount: number): RecordWindow['end'] {
  const isSwept = end === 'open' ? isFromStart : freshCount === 0
  return isSwept ? 'swept' : 'reached'
}

const knownIds = ({ items, skipped }: RecordWindow) => new Set([...items, ...skipped].map(({ record }) => record.id))

function freshItems(window: RecordWindow, page: QueuePage): QueueItem[] {
  const known = knownIds(window)
  return page.items.filter(({ record }) => !known.has(record.id)).map(toItem)
}

/** The page begins with a record that is known, so that none lies between it and the window. */
export function joins(window: RecordWindow, { items, size }: QueuePage): boolean {
  const [first] = items
  const hasLeftOut = items.length < size
  return hasLeftOut || (first !== undefined && knownIds(window).has(first.record.id))
}

/** `isLast`: the page reaches to the end of the server's list. */
export function appended(window: RecordWindow, page: QueuePage, isLast: boolean): RecordWindow {
  const fresh = freshItems(window, page)
  const end = isLast ? endAfter(window, fresh.length) : window.end
  return { ...window, end, items: fresh.length > 0 ? [...window.items, ...fresh] : window.items }
}

export function prepended(window: RecordWindow, page: QueuePage, offset: number): RecordWindow {
  const fresh = freshItems(window, page)
  return { ...window, start: offset, items: [...fresh, ...window.items], index: window.index + fresh.length }
}

/** Null when there is nowhere to go; `isThrough`: past the last record too, to where there is nothing left. */
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

/** Those that were put off come last. */
const withSkipped = (window: RecordWindow): RecordWindow =>
  window.skipped.length === 0 ? window : { ...window, items: [...window.items, ...window.skipped], skipped: [] }

function withoutCurrent(window: RecordWindow): RecordWindow {
  return { ...window, items: window.items.toSpliced(window.index, 1) }
}

/** The current record goes to the end; the next one takes its place. */
export function putOff(window: RecordWindow): RecordWindow {
  const item = currentOf(window)
  if (!item) return window
  const next = { ...withoutCurrent(window), skipped: [...window.skipped, item] }
  return isPastEnd(next) ? withSkipped(next) : next
}

/** The current record is no more; the next one takes its place. */
export function dropped(window: RecordWindow): RecordWindow {
  if (!currentOf(window)) return window
  const next = { ...withoutCurrent(window), total: Math.max(0, window.total - 1) }
  return isPastEnd(next) ? withSkipped(next) : next
}

export function findItem(window: RecordWindow, recordId: string): QueueItem | undefined {
  return window.items.find(({ record }) => record.id === recordId)
}

/** The same items in a new list, which tells that one of them changed. */
export const refreshed = (window: RecordWindow): RecordWindow => ({ ...window, items: [...window.items] })

/** Null when the record is not in the window. */
export function turnedTo(window: RecordWindow, recordId: string): RecordWindow | null {
  const index = indexOf(window, recordId)
  return index < 0 ? null : { ...window, index }
}

/** A record that is in no list here, at the present place. */
export const inserted = (window: RecordWindow, item: Omit<QueueItem, 'hasLeft'>): RecordWindow =>
  turnedTo(window, item.record.id) ?? {
    ...window,
    items: window.items.toSpliced(window.index, 0, { ...item, hasLeft: true }),
  }

/** A record behind the one in hand becomes the next one. */
export function broughtBack(window: RecordWindow, recordId: string): RecordWindow {
  const at = indexOf(window, recordId)
  const item = window.items[at]
  if (!item || at >= window.index) return window
  const items = window.items.toSpliced(window.index + 1, 0, item).toSpliced(at, 1)
  return { ...window, items, index: window.index - 1 }
}

/** A record ahead of the one in hand goes. */
export function removed(window: RecordWindow, recordId: string): RecordWindow {
  const at = indexOf(window, recordId)
  if (at <= window.index) return window
  return { ...window, items: window.items.toSpliced(at, 1), total: Math.max(0, window.total - 1) }
}
