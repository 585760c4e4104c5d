/** How often a loose phrase stands in one document, from the places of its words. The rule is that of domain's `hasPhrase`. */

/** The places of one word in one document, in ascending order: `places[from]` to `places[to - 1]`. */
export interface Places {
  places: Uint32Array
  from: number
  to: number
}

const sizeOf = ({ from, to }: Places): number => to - from

/**
 * Each word has a place of its own, and the places, each less the word's position in the phrase, lie within `slop` of each
 * other, all in one piece. Counted are the different beginnings; at each of them some word stands where it should.
 */
export function countLoose(words: readonly Places[], slop: number, breaks: Places | null): number {
  if (breaks === null || sizeOf(breaks) === 0) return countInPiece(words, slop)
  const piece = words.map(({ places, from }) => ({ places, from, to: from }))
  let count = 0
  for (let i = breaks.from; i <= breaks.to; i++) {
    const end = i === breaks.to ? Number.POSITIVE_INFINITY : (breaks.places[i] as number)
    piece.forEach((word, k) => {
      // The first word after a break stands behind it, so nothing lies between two pieces.
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

/** Whether one of the words before word `i` stands unmoved at this beginning, which was counted then. */
function isCounted(words: readonly Places[], i: number, first: number): boolean {
  for (let k = 0; k < i; k++) {
    const { places, from, to } = words[k] as Places
    const at = lowerBound(places, from, to, first + k)
    if (at < to && places[at] === first + k) return true
  }
  return false
}

/**
 * Each word, in the order of the phrase, takes the first place in its window that is not taken. Only the same word takes the
 * same places, and always the next ones. `taken` is overwritten: by word, the index of the place it takes.
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

/** The index of the first number that is not below `least`, between `from` and `to`. */
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
