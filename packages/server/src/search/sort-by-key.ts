/** Index of the high 32-bit word of a float, which depends on the byte order of the processor. */
const HIGH = new Uint32Array(Float64Array.of(1).buffer)[1] === 0 ? 0 : 1
const DIGIT_BITS = 11
const DIGITS = 2 ** DIGIT_BITS
const SHIFTS = [0, DIGIT_BITS, 2 * DIGIT_BITS]
/** Elements per row: an ordinal and the two words of its key, adjacent so that moving a row touches one place in memory. */
const ROW = 3
/**
 * Up to this length insertion sort is faster, because a radix sort counts thousands of digits regardless of the number of keys.
 */
const FEW = 128

/**
 * Returns the ordinals in ascending order of their keys, as a new array. The sort is stable. `keys` has one number, not NaN, for
 * each ordinal.
 *
 * A radix sort with digits of 11 bits, from the lowest to the highest. Digits that all keys share are skipped, which leaves two
 * or three of the six for most columns.
 */
export function sortByKey(ordinals: Uint32Array, keys: Float64Array): Uint32Array {
  if (ordinals.length <= FEW) return sortFew(ordinals, keys)
  let rows = toRows(ordinals, keys)
  let sorted: Uint32Array | null = null
  for (const word of [1, 2]) {
    for (const shift of SHIFTS) {
      const starts = countDigits(rows, word, shift)
      if (starts === null) continue
      sorted ??= new Uint32Array(rows.length)
      distribute(rows, sorted, { word, shift, starts })
      ;[rows, sorted] = [sorted, rows]
    }
  }
  return takeOrdinals(rows)
}

function sortFew(ordinals: Uint32Array, keys: Float64Array): Uint32Array {
  const sorted = ordinals.slice()
  const sortedKeys = keys.slice(0, ordinals.length)
  for (let i = 1; i < sorted.length; i++) {
    const [ordinal, key] = [ordinals[i] as number, keys[i] as number]
    let at = i
    for (; at > 0 && (sortedKeys[at - 1] as number) > key; at--) {
      sorted[at] = sorted[at - 1] as number
      sortedKeys[at] = sortedKeys[at - 1] as number
    }
    sorted[at] = ordinal
    sortedKeys[at] = key
  }
  return sorted
}

/** Transforms the bits of each float so that comparing them as unsigned integers gives the order of the floats. */
function toRows(ordinals: Uint32Array, keys: Float64Array): Uint32Array {
  const float = new Float64Array(1)
  const words = new Uint32Array(float.buffer)
  const rows = new Uint32Array(ordinals.length * ROW)
  for (let i = 0; i < ordinals.length; i++) {
    // Adding zero turns -0 into 0, so that both have the same key.
    float[0] = (keys[i] as number) + 0
    const high = words[HIGH] as number
    // All bits are 1 for a negative number.
    const sign = high >> 31
    rows[i * ROW] = ordinals[i] as number
    rows[i * ROW + 1] = (words[1 - HIGH] as number) ^ sign
    rows[i * ROW + 2] = high ^ (sign | 0x80000000)
  }
  return rows
}

/** Returns the position of the first row with each digit when sorted by this digit, or null if all rows have the same digit. */
function countDigits(rows: Uint32Array, word: number, shift: number): Uint32Array | null {
  const starts = new Uint32Array(DIGITS + 1)
  for (let i = word; i < rows.length; i += ROW) {
    const digit = ((rows[i] as number) >>> shift) & (DIGITS - 1)
    starts[digit + 1] = (starts[digit + 1] as number) + 1
  }
  if (starts.includes(rows.length / ROW)) return null
  for (let i = 1; i < DIGITS; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number)
  return starts
}

interface Digit {
  word: number
  shift: number
  /** Position of the next row with each digit. */
  starts: Uint32Array
}

function distribute(rows: Uint32Array, sorted: Uint32Array, { word, shift, starts }: Digit): void {
  for (let i = 0; i < rows.length; i += ROW) {
    const digit = ((rows[i + word] as number) >>> shift) & (DIGITS - 1)
    const row = starts[digit] as number
    starts[digit] = row + 1
    const at = row * ROW
    sorted[at] = rows[i] as number
    sorted[at + 1] = rows[i + 1] as number
    sorted[at + 2] = rows[i + 2] as number
  }
}

function takeOrdinals(rows: Uint32Array): Uint32Array {
  const ordinals = new Uint32Array(rows.length / ROW)
  for (let i = 0; i < ordinals.length; i++) ordinals[i] = rows[i * ROW] as number
  return ordinals
}
