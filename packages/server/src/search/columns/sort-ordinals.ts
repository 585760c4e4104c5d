import { sortByKey } from '../sort-by-key.ts'
import type { SortKey } from './sort-key.ts'

/**
 * Returns the ordinals in the order of the keys. Sorts by the last key first; the sort is stable, so records with equal keys stay
 * in order.
 */
export function sortOrdinals(ordinals: Uint32Array, keys: readonly SortKey[]): Uint32Array {
  let sorted = ordinals
  const values = new Float64Array(ordinals.length)
  for (const key of keys.toReversed()) {
    key.fill(sorted, sorted.length, values)
    sorted = sortByKey(sorted, values)
  }
  return sorted
}

/** Compares two ordinals by the keys. Ties are broken by the ordinals. */
export function compareBy(keys: readonly SortKey[]): (left: number, right: number) => number {
  const ordinals = new Uint32Array(2)
  const values = new Float64Array(2)
  return (left, right) => {
    ordinals[0] = left
    ordinals[1] = right
    for (const key of keys) {
      key.fill(ordinals, 2, values)
      if (values[0] !== values[1]) return (values[0] as number) < (values[1] as number) ? -1 : 1
    }
    return left - right
  }
}
