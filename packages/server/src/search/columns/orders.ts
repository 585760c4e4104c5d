/**
 * Sorted orders of all records, kept between searches: a page is then read from the order, no matter how deep it is or how many records
 * share a value. Writes only mark records as changed; the next search that needs an order takes them out and puts them back where they
 * belong.
 */
import { Bitmap } from '../bitmap.ts'
import { grown } from '../grow.ts'
import { type Insertion, renumber } from '../insertion.ts'
import type { SortKey } from './sort-key.ts'
import { compareBy, sortOrdinals } from './sort-ordinals.ts'

/** Above this share of changed records, but not for a few, sorting everything again is faster. */
const CHANGED_SHARE_MAX = 0.02
const CHANGED_FEW = 16
/** Each user who sorts by responses has an order. */
const ORDERS_MAX = 32

export interface SortedBy {
  /** What tells this order from others. */
  name: string
  /** Names of the columns that it is made from. */
  columns: readonly string[]
  keys: readonly SortKey[]
  /** When it is used. */
  used: number
}

interface KnownOrder {
  columns: readonly string[]
  /** When a query needed it last. */
  used: number
  ordinals: Uint32Array
  /** Records that were written or deleted since the order was made. */
  changed: Bitmap
}

export class Orders {
  readonly #known = new Map<string, KnownOrder>()

  get bytes(): number {
    return [...this.#known.values()].reduce((sum, { ordinals, changed }) => sum + ordinals.buffer.byteLength + changed.bytes, 0)
  }

  /** Whether an order is kept to which nothing or little changed since. */
  isKnown(name: string): boolean {
    const known = this.#known.get(name)
    return known !== undefined && known.changed.count() <= CHANGED_FEW
  }

  /** The order of all `live` records, up to date. `sortAll` makes it anew. */
  renew({ name, columns, keys, used }: SortedBy, live: Bitmap, sortAll: () => Uint32Array): Uint32Array {
    const known = this.#known.get(name)
    const ordinals = known === undefined ? null : findRenewed(known, keys, live)
    const order = { columns, used, ordinals: ordinals ?? sortAll(), changed: new Bitmap() }
    // The map keeps the order of insertion: the most recently used is last.
    this.#known.delete(name)
    this.#known.set(name, order)
    const [oldest] = this.#known.keys()
    if (this.#known.size > ORDERS_MAX && oldest !== undefined) this.forget(oldest)
    return order.ordinals
  }

  change(ordinal: number): void {
    for (const { changed } of this.#known.values()) changed.set(ordinal)
  }

  insert(insertion: Insertion): void {
    for (const order of this.#known.values()) {
      const changed = order.changed.ordinals()
      renumber(changed, insertion)
      renumber(order.ordinals, insertion)
      order.changed = new Bitmap()
      order.changed.fill(changed)
    }
  }

  /** Forgets the orders that are made from a column. */
  drop(column: string): void {
    for (const [name, { columns }] of this.#known) if (columns.includes(column)) this.#known.delete(name)
  }

  held(): { name: string; used: number }[] {
    return Array.from(this.#known, ([name, { used }]) => ({ name, used }))
  }

  forget(name: string): void {
    this.#known.delete(name)
  }
}

/** Puts changed records in place. Null if they are too many. */
function findRenewed({ ordinals, changed }: KnownOrder, keys: readonly SortKey[], live: Bitmap): Uint32Array | null {
  const count = changed.count()
  if (count === 0) return ordinals
  if (count > Math.max(CHANGED_FEW, ordinals.length * CHANGED_SHARE_MAX)) return null
  const added = sortOrdinals(changed.clone().and(live).ordinals(), keys)
  return insertSorted(removeAll(ordinals, changed), added, compareBy(keys))
}

/** Removes ordinals in place, and returns what is left. */
function removeAll(ordinals: Uint32Array, { words }: Bitmap): Uint32Array {
  let size = 0
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number
    ordinals[size] = ordinal
    // Without a branch. Records beyond the bitmap are not in it.
    size += 1 - (((words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1)
  }
  return ordinals.subarray(0, size)
}

/** Inserts a few ordinals, the last first, in place if there is room: what lies behind each moves once. All are sorted. */
function insertSorted(kept: Uint32Array, added: Uint32Array, compare: (left: number, right: number) => number): Uint32Array {
  const ordinals = withRoom(kept, added.length)
  let end = kept.length
  for (let left = added.length; left > 0; left--) {
    const ordinal = added[left - 1] as number
    const at = countBefore(ordinals, end, ordinal, compare)
    ordinals.copyWithin(at + left, at, end)
    ordinals[at + left - 1] = ordinal
    end = at
  }
  return ordinals
}

/** The same ordinals with room for a few more, in a copy if there is none behind them. */
function withRoom(ordinals: Uint32Array, more: number): Uint32Array {
  const { buffer, byteOffset, length } = ordinals
  const needed = length + more
  if (byteOffset + needed * 4 <= buffer.byteLength) return new Uint32Array(buffer, byteOffset, needed)
  return grown(ordinals, needed).subarray(0, needed)
}

/** How many of the first `length` ordinals come before another one, by binary search. */
function countBefore(
  ordinals: Uint32Array,
  length: number,
  ordinal: number,
  compare: (left: number, right: number) => number,
): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(ordinals[middle] as number, ordinal) < 0) low = middle + 1
    else high = middle
  }
  return low
}
