/**
 * Counts how often a phrase with slop occurs in one document, from the positions of its words. Follows the same rule as
 * `hasPhrase` in the domain package.
 */

/** The positions of one word in one document, in ascending order: `places[from]` to `places[to - 1]`. */
export interface Places {
  places: Uint32Array
  from: number
  to: number
}

const sizeOf = ({ from, to }: Places): number => to - from

/**
 * Each word needs a separate position, and the positions, each minus the word's index in the phrase, must lie within `slop` of
 * each other and in one piece. Counts the distinct starts; at each of them, at least one word is at its exact position.
 */
export function countLoose(words: readonly Places[], slop: number, breaks: Places | null): number {
  if (breaks === null || sizeOf(breaks) === 0) return countInPiece(words, slop)
  const piece = words.map(({ places, from }) => ({ places, from, to: from }))
  let count = 0
  for (let i = breaks.from; i <= breaks.to; i++) {
    const end = i === breaks.to ? Number.POSITIVE_INFINITY : (breaks.places[i] as number)
    piece.forEach((word, k) => {
      // A break is not a word, so the next piece starts where the previous one ends.
      word.from = word.to
      word.to = lowerBound(word.places, word.from, (words[k] as Places).to, end)
    })
    count += countInPiece(piece, slop)
  }
  return count
}

function countInPiece(words: readonly Places[], slop: number): number {
  if (words.some(word => sizeOf(word) === 0)) return 0
  const taken: number[] = []
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const { places, from, to } = words[i] as Places
    for (let at = from; at < to; at++) {
      const first = (places[at] as number) - i
      if (!isCounted(words, i, first) && fitsAt(words, first, slop, taken)) count++
    }
  }
  return count
}

/** True if a word before word `i` is at its exact position for this start, which was then counted already. */
function isCounted(words: readonly Places[], i: number, first: number): boolean {
  for (let k = 0; k < i; k++) {
    const { places, from, to } = words[k] as Places
    const at = lowerBound(places, from, to, first + k)
    if (at < to && places[at] === first + k) return true
  }
  return false
}

/**
 * Each word, in phrase order, takes the first free position in its window. Only equal words compete for the same positions, and
 * they take them in ascending order. `taken` is overwritten with the index of the position that each word takes.
 */
function fitsAt(words: readonly Places[], first: number, slop: number, taken: number[]): boolean {
  for (let i = 0; i < words.length; i++) {
    const { places, from, to } = words[i] as Places
    let at = lowerBound(places, from, to, first + i)
    for (let k = i - 1; k >= 0; k--) {
      if (words[k]?.places !== places) continue
      at = Math.max(at, (taken[k] as number) + 1)
      break
    }
    if (at >= to || (places[at] as number) > first + i + slop) return false
    taken[i] = at
  }
  return true
}

/** Returns the index of the first number between `from` and `to` that is not below `least`. */
function lowerBound(numbers: Uint32Array, from: number, to: number, least: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
