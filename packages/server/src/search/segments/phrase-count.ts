/** How often a phrase stands in one document, from the places of its words. The rule is that of domain's `hasPhrase`. */

/** The words stand one after the other. `words` holds the places of each word, in ascending order. */
export function countExact(words: readonly Uint32Array[]): number {
  // The rarest word leaves the fewest places to check.
  let rarest = 0
  words.forEach((places, i) => {
    if (places.length < (words[rarest] as Uint32Array).length) rarest = i
  })
  // Where the phrase would begin; kept are those where the other words stand as well.
  const starts = Array.from(words[rarest] ?? [], place => place - rarest)
  let count = starts.length
  for (let i = 0; i < words.length && count > 0; i++)
    if (i !== rarest) count = keepFollowed(starts, count, words[i] as Uint32Array, i)
  return count
}

function keepFollowed(starts: number[], count: number, places: Uint32Array, offset: number): number {
  let kept = 0
  let at = 0
  for (let i = 0; i < count; i++) {
    const start = starts[i] as number
    while (at < places.length && (places[at] as number) < start + offset) at++
    if (at < places.length && places[at] === start + offset) starts[kept++] = start
  }
  return kept
}

/**
 * Each word has a place of its own, and the places, each less the word's position in the phrase, lie within `slop` of each
 * other, all in one piece. Counted are the different beginnings; at each of them some word stands where it should.
 */
export function countLoose(words: readonly Uint32Array[], slop: number, breaks: Uint32Array | null): number {
  let count = 0
  let start = 0
  for (const end of [...(breaks ?? []), Number.POSITIVE_INFINITY]) {
    const inPiece = words.map(places => places.subarray(lowerBound(places, start), lowerBound(places, end)))
    if (inPiece.every(places => places.length > 0)) count += countInPiece(inPiece, slop)
    start = end + 1
  }
  return count
}

function countInPiece(words: readonly Uint32Array[], slop: number): number {
  const firsts = new Set<number>()
  words.forEach((places, i) => {
    for (const place of places) firsts.add(place - i)
  })
  let count = 0
  for (const first of firsts) if (fitsAt(words, first, slop)) count++
  return count
}

/** Each word, in the order of the phrase, takes the first place in its window that is not taken. */
function fitsAt(words: readonly Uint32Array[], first: number, slop: number): boolean {
  const taken: number[] = []
  for (let i = 0; i < words.length; i++) {
    const places = words[i] as Uint32Array
    let at = lowerBound(places, first + i)
    while (at < places.length && taken.includes(places[at] as number)) at++
    if (at === places.length || (places[at] as number) > first + i + slop) return false
    taken.push(places[at] as number)
  }
  return true
}

/** The index of the first number that is not below `least`. */
function lowerBound(numbers: Uint32Array, least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
