/**
 * Cache of sorted orders of all records. A page is read directly from the order, regardless of its offset and of how many records
 * share a value. Writes only mark records as changed; the next search that needs an order removes these records and inserts them
 * at their new positions.
 */
import { Bitmap } from '../bitmap.ts'
import { ensureLength } from '../grow.ts'
import { type Insertion, renumber } from '../insertion.ts'
import type { SortKey } from './sort-key.ts'
import { compareBy, sortOrdinals } from './sort-ordinals.ts'

/** Above this share of changed records (and above `CHANGED_FEW`), sorting all records again is faster. */
const CHANGED_SHARE_MAX = 0.02
const CHANGED_FEW = 16
/** Limits the number of orders, because each user who sorts by responses gets one. */
const ORDERS_MAX = 32

export interface OrderSpec {
  /** Unique name of the order. */
  name: string
  /** Names of the columns that the order depends on. */
  columns: readonly string[]
  keys: readonly SortKey[]
  /** Logical time of this use. */
  used: number
}

interface CachedOrder {
  columns: readonly string[]
  /** Logical time of the last query that used the order. */
  used: number
  ordinals: Uint32Array
  /** Records written or deleted since the order was computed. */
  changed: Bitmap
}

export class Orders {
  readonly #known = new Map<string, CachedOrder>()

  get bytes(): number {
    return [...this.#known.values()].reduce((sum, { ordinals, changed }) => sum + ordinals.buffer.byteLength + changed.bytes, 0)
  }

  /** True if the order is cached and at most a few records have changed since. */
  isCached(name: string): boolean {
    const known = this.#known.get(name)
    return known !== undefined && known.changed.count() <= CHANGED_FEW
  }

  /** Returns the current order of all `live` records. Calls `sortAll` if the cached order cannot be updated. */
  renew({ name, columns, keys, used }: OrderSpec, live: Bitmap, sortAll: () => Uint32Array): Uint32Array {
    const known = this.#known.get(name)
    const ordinals = known === undefined ? null : updateCached(known, keys, live)
    const order = { columns, used, ordinals: ordinals ?? sortAll(), changed: new Bitmap() }
    // Maps keep insertion order, so the most recently used order is last.
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

  /** Removes the orders that depend on a column. */
  drop(column: string): void {
    for (const [name, { columns }] of this.#known) if (columns.includes(column)) this.#known.delete(name)
  }

  list(): { name: string; used: number }[] {
    return Array.from(this.#known, ([name, { used }]) => ({ name, used }))
  }

  forget(name: string): void {
    this.#known.delete(name)
  }
}

/** Moves changed records to their new positions. Returns null if there are too many of them. */
function updateCached({ ordinals, changed }: CachedOrder, keys: readonly SortKey[], live: Bitmap): Uint32Array | null {
  const count = changed.count()
  if (count === 0) return ordinals
  if (count > Math.max(CHANGED_FEW, ordinals.length * CHANGED_SHARE_MAX)) return null
  const added = sortOrdinals(changed.clone().and(live).ordinals(), keys)
  return insertSorted(removeAll(ordinals, changed), added, compareBy(keys))
}

/** Removes ordinals in place and returns the remaining ones. */
function removeAll(ordinals: Uint32Array, { words }: Bitmap): Uint32Array {
  let size = 0
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number
    ordinals[size] = ordinal
    // Branch-free. Ordinals beyond the end of the bitmap are not in it.
    size += 1 - (((words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1)
  }
  return ordinals.subarray(0, size)
}

/**
 * Inserts a few sorted ordinals into a sorted list, in place if there is room. Starts with the last one, so that each element
 * moves only once.
 */
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

/** Extends the array by `more` elements, in its buffer if there is room, or else in a copy. */
function withRoom(ordinals: Uint32Array, more: number): Uint32Array {
  const { buffer, byteOffset, length } = ordinals
  const needed = length + more
  if (byteOffset + needed * 4 <= buffer.byteLength) return new Uint32Array(buffer, byteOffset, needed)
  return ensureLength(ordinals, needed).subarray(0, needed)
}

/** Returns how many of the first `length` ordinals sort before `ordinal`, by binary search. */
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
