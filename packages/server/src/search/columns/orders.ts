/**
 * Sorted orders of all records, kept between searches: a page is then read from the order, no matter how deep it is or how many records
 * share a value. Writes only mark records as changed; the next search that needs an order takes them out and puts them back where they
 * belong.
 */
import { Bitmap } from '../bitmap.ts'
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
    return [...this.#known.values()].reduce((sum, { ordinals, changed }) => sum + ordinals.byteLength + changed.bytes, 0)
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

/** The order with its changed records put in place; null if there are too many of them. */
function findRenewed({ ordinals, changed }: KnownOrder, keys: readonly SortKey[], live: Bitmap): Uint32Array | null {
  const count = changed.count()
  if (count === 0) return ordinals
  if (count > Math.max(CHANGED_FEW, ordinals.length * CHANGED_SHARE_MAX)) return null
  const kept = without(ordinals, changed)
  return mergeInto(kept, sortOrdinals(changed.clone().and(live).ordinals(), keys), compareBy(keys))
}

function without(ordinals: Uint32Array, { words }: Bitmap): Uint32Array {
  const kept = new Uint32Array(ordinals.length)
  let size = 0
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number
    kept[size] = ordinal
    // Without a branch. Records beyond the bitmap are not in it.
    size += 1 - (((words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1)
  }
  return kept.subarray(0, size)
}

/** Both are sorted; `added` are few. */
function mergeInto(kept: Uint32Array, added: Uint32Array, compare: (left: number, right: number) => number): Uint32Array {
  const merged = new Uint32Array(kept.length + added.length)
  let copied = 0
  added.forEach((ordinal, i) => {
    let low = copied
    let high = kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(kept[middle] as number, ordinal) < 0) low = middle + 1
      else high = middle
    }
    merged.set(kept.subarray(copied, low), copied + i)
    merged[low + i] = ordinal
    copied = low
  })
  merged.set(kept.subarray(copied), copied + added.length)
  return merged
}
