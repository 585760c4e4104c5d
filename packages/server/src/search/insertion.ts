/** Ordinals stay in the order of record numbers. A record that becomes known late gets one among the others, which move up. */
export interface Insertion {
  /** Old ordinals that new ones are put before, ascending, each once. */
  before: Uint32Array
  /** How many new ordinals come before each of these, including those before earlier ones. */
  sums: Uint32Array
  /** How many ordinals there were. */
  size: number
}

/** Some ordinals that move up together. */
export interface Move {
  from: number
  end: number
  by: number
}

/** `positions` are, for each new ordinal, the old one that it is put before, ascending. */
export function toInsertion(positions: readonly number[], size: number): Insertion {
  const sums = new Map<number, number>()
  positions.forEach((position, i) => {
    sums.set(position, i + 1)
  })
  return { before: Uint32Array.from(sums.keys()), sums: Uint32Array.from(sums.values()), size }
}

/** The moves in the order in which none overwrites what another still has to move: the last ordinals first. */
export function toMoves({ before, sums, size }: Insertion): Move[] {
  const moves = Array.from(before, (from, i): Move => ({ from, end: before[i + 1] ?? size, by: sums[i] as number }))
  return moves.reverse()
}

/** Replaces old ordinals by what they have become. */
export function renumber(ordinals: Uint32Array, { before, sums }: Insertion): void {
  const first = before[0] ?? Number.POSITIVE_INFINITY
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number
    if (ordinal >= first) ordinals[i] = ordinal + (sums[countUpTo(before, ordinal) - 1] as number)
  }
}

/** How many of the ascending numbers are not above a number, by binary search. */
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
