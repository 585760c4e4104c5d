/** Finding a label by some of its letters: without regard to case and accents, the letters in order but not side by side. */
export interface Folded {
  /** Lower case, without accents. */
  text: string
  /** For each letter of `text`, where it begins in the original; one more at the end. */
  at: readonly number[]
}

export interface Match {
  /** Smaller is better. */
  distance: number
  /** Places in `Folded.text`. */
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

/** The query stands in the text as it is: at its beginning, at a word's beginning, or inside a word. */
function matchWhole(text: string, query: string): Match | null {
  let at = text.indexOf(query)
  if (at < 0) return null
  const first = at
  while (at >= 0 && !isWordStart(text, at)) at = text.indexOf(query, at + 1)
  if (at === 0) return { distance: text.length === query.length ? 0 : 1, places: run(0, query.length) }
  return at > 0 ? { distance: 2, places: run(at, query.length) } : { distance: 3, places: run(first, query.length) }
}

/** Letters in order with gaps; a letter that begins a word is worth more than one inside it. */
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

/** The same letter at the start of a word further on, where the next letter does not simply continue the last. */
function nextWordStart(text: string, letter: string, next: number, last: number): number {
  if (next === last + 1) return next
  for (let at = next; at >= 0; at = text.indexOf(letter, at + 1)) if (isWordStart(text, at)) return at
  return next
}

/** Null when the letters do not stand in the text in this order. `query` is folded. */
export function match({ text }: Folded, query: string): Match | null {
  if (query === '') return { distance: 0, places: [] }
  const whole = matchWhole(text, query)
  if (whole !== null) return whole
  const letters = query.replaceAll(/\s+/g, '')
  return matchScattered(text, letters) ?? matchPlain(text, letters)
}

/** As `matchScattered`, without looking for beginnings of words, which can lead past the letters that come after. */
function matchPlain(text: string, query: string): Match | null {
  const places: number[] = []
  for (const letter of query) {
    const at = text.indexOf(letter, (places.at(-1) ?? -1) + 1)
    if (at < 0) return null
    places.push(at)
  }
  return { distance: 20, places }
}

/** The original text cut into marked and unmarked pieces. */
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

/** One letter of the original may be several in the folded text. */
function endOf(at: readonly number[], place: number): number {
  const start = at[place]
  return at.slice(place + 1).find(next => next !== start) ?? at.at(-1) ?? 0
}

export interface Hit<T> {
  item: T
  places: readonly number[]
}

/** What matches, the nearest first, and otherwise in the given order. */
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
