/**
 * Insertion of new ordinals. Ordinals stay in the order of record numbers: a record that is seen late gets an ordinal between
 * existing ones, and the later ordinals move up.
 */
export interface Insertion {
  /** Old ordinals before which new ones are inserted, ascending, without duplicates. */
  before: Uint32Array
  /** For each entry of `before`, the number of new ordinals up to and including this position. */
  sums: Uint32Array
  /** Number of ordinals before the insertion. */
  size: number
}

/** A range of ordinals that move up by the same distance. */
export interface Move {
  from: number
  end: number
  by: number
}

/** `positions` has, for each new ordinal, the old ordinal before which it is inserted, ascending. */
export function toInsertion(positions: readonly number[], size: number): Insertion {
  const sums = new Map<number, number>()
  positions.forEach((position, i) => {
    sums.set(position, i + 1)
  })
  return { before: Uint32Array.from(sums.keys()), sums: Uint32Array.from(sums.values()), size }
}

/** Returns the moves with the last ordinals first, so that no move overwrites ordinals that still have to move. */
export function toMoves({ before, sums, size }: Insertion): Move[] {
  const moves = Array.from(before, (from, i): Move => ({ from, end: before[i + 1] ?? size, by: sums[i] as number }))
  return moves.reverse()
}

/** Replaces old ordinals with the new ones, in place. */
export function renumber(ordinals: Uint32Array, { before, sums }: Insertion): void {
  const first = before[0] ?? Number.POSITIVE_INFINITY
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number
    if (ordinal >= first) ordinals[i] = ordinal + (sums[countUpTo(before, ordinal) - 1] as number)
  }
}

/** Returns how many of the ascending numbers are less than or equal to `number`, by binary search. */
function countUpTo(ascending: Uint32Array, number: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) <= number) low = middle + 1
    else high = middle
  }
  return low
}
