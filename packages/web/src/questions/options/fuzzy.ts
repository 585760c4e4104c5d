/** Fuzzy search for labels: ignores case and accents, and allows gaps between letters in order. */
export interface Folded {
  /** Lower case, without accents. */
  text: string
  /** Start of each letter of `text` in the original, plus the end of the original. */
  at: readonly number[]
}

export interface Match {
  /** Smaller is better. */
  distance: number
  /** Indexes of the matched letters in `Folded.text`. */
  places: readonly number[]
}

export interface Segment {
  text: string
  isHit: boolean
}

export function fold(original: string): Folded {
  let text = ''
  const at: number[] = []
  let place = 0
  for (const sign of original) {
    const plain = sign
      .normalize('NFD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
    for (let index = 0; index < plain.length; index++) at.push(place)
    text += plain
    place += sign.length
  }
  at.push(original.length)
  return { text, at }
}

const isWordStart = (text: string, at: number) => at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))

const run = (from: number, length: number) => Array.from({ length }, (_, index) => from + index)

/** Matches the query as a substring: at the start of the text, at the start of a word, or inside a word. */
function matchWhole(text: string, query: string): Match | null {
  let at = text.indexOf(query)
  if (at < 0) return null
  const first = at
  while (at >= 0 && !isWordStart(text, at)) at = text.indexOf(query, at + 1)
  if (at === 0) return { distance: text.length === query.length ? 0 : 1, places: run(0, query.length) }
  return at > 0 ? { distance: 2, places: run(at, query.length) } : { distance: 3, places: run(first, query.length) }
}

/** Matches letters in order with gaps; letters at the start of a word count more than letters inside it. */
function matchScattered(text: string, query: string): Match | null {
  const places: number[] = []
  let at = -1
  for (const letter of query) {
    const next = text.indexOf(letter, at + 1)
    if (next < 0) return null
    at = nextWordStart(text, letter, next, at)
    places.push(at)
  }
  const gaps = places.filter(
    (place, index) => index > 0 && place !== (places[index - 1] ?? 0) + 1 && !isWordStart(text, place),
  ).length
  return { distance: 10 + gaps, places }
}

/** Returns the next occurrence of the letter at the start of a word, unless it directly follows the last match. */
function nextWordStart(text: string, letter: string, next: number, last: number): number {
  if (next === last + 1) return next
  for (let at = next; at >= 0; at = text.indexOf(letter, at + 1)) if (isWordStart(text, at)) return at
  return next
}

/** Returns null if the text does not contain the letters in this order. `query` must be folded. */
export function match({ text }: Folded, query: string): Match | null {
  if (query === '') return { distance: 0, places: [] }
  const whole = matchWhole(text, query)
  if (whole !== null) return whole
  const letters = query.replaceAll(/\s+/g, '')
  return matchScattered(text, letters) ?? matchPlain(text, letters)
}

/** Like `matchScattered`, but without the preference for word starts, which can skip letters needed later. */
function matchPlain(text: string, query: string): Match | null {
  const places: number[] = []
  for (const letter of query) {
    const at = text.indexOf(letter, (places.at(-1) ?? -1) + 1)
    if (at < 0) return null
    places.push(at)
  }
  return { distance: 20, places }
}

/** Splits the original text into highlighted and plain segments. */
export function segmentsOf(original: string, { at }: Folded, places: readonly number[]): Segment[] {
  const isHit = new Uint8Array(original.length)
  for (const place of places) isHit.fill(1, at[place] ?? 0, endOf(at, place))
  const segments: Segment[] = []
  let from = 0
  for (let index = 1; index <= original.length; index++) {
    if (index < original.length && isHit[index] === isHit[from]) continue
    segments.push({ text: original.slice(from, index), isHit: isHit[from] === 1 })
    from = index
  }
  return segments
}

/** One letter of the original can be several letters in the folded text. */
function endOf(at: readonly number[], place: number): number {
  const start = at[place]
  return at.slice(place + 1).find(next => next !== start) ?? at.at(-1) ?? 0
}

export interface Hit<T> {
  item: T
  places: readonly number[]
}

/** Returns the matching items, best first; ties keep the given order. */
export function findIn<T extends { folded: Folded }>(items: readonly T[], query: string): Hit<T>[] {
  const { text } = fold(query.trim())
  return items
    .flatMap(item => {
      const found = match(item.folded, text)
      return found === null ? [] : [{ item, places: found.places, distance: found.distance }]
    })
    .sort((a, b) => a.distance - b.distance)
    .map(({ item, places }) => ({ item, places }))
}
