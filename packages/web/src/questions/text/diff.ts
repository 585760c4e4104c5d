/** Word diff: removed and added words. */
export interface Piece {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Maximum size of the LCS table, which takes about 20 ms. Beyond it, the middle part counts as rewritten. */
const CELLS_MAX = 4_000_000

/** Splits into words, whitespace and punctuation; scripts without spaces are compared character by character. */
const toWords = (text: string) =>
  text.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_'’-]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu,
  ) ?? []

function commonStart(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length)
  let count = 0
  while (count < length && a[count] === b[count]) count++
  return count
}

function commonEnd(a: readonly string[], b: readonly string[], after: number): number {
  const length = Math.min(a.length, b.length) - after
  let count = 0
  while (count < length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

/** Length of the longest common subsequence for every pair of suffixes, as one flat table. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j
      lengths[at] = a[i] === b[j] ? (lengths[at + width + 1] ?? 0) + 1 : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0)
    }
  }
  return lengths
}

function middle(a: readonly string[], b: readonly string[]): Piece[] {
  if (a.length * b.length > CELLS_MAX) return [piece('removed', a), piece('added', b)]
  const lengths = commonLengths(a, b)
  const width = b.length + 1
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    const at = i * width + j
    if (a[i] === b[j]) {
      pieces.push({ kind: 'same', text: a[i] ?? '' })
      i++
      j++
    } else if ((lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0)) pieces.push({ kind: 'removed', text: a[i++] ?? '' })
    else pieces.push({ kind: 'added', text: b[j++] ?? '' })
  }
  return [...pieces, piece('removed', a.slice(i)), piece('added', b.slice(j))]
}

const piece = (kind: Piece['kind'], words: readonly string[]): Piece => ({ kind, text: words.join('') })

/**
 * Joins adjacent pieces of the same kind. An unchanged space between two changes is added to both, so that a rewritten phrase
 * appears as one removal and one addition.
 */
function merge(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = []
  let removed = ''
  let added = ''
  const flush = () => {
    if (removed !== '') merged.push({ kind: 'removed', text: removed })
    if (added !== '') merged.push({ kind: 'added', text: added })
    removed = added = ''
  }
  for (const [index, { kind, text }] of pieces.entries()) {
    const isBetween =
      kind === 'same' && /^\s+$/.test(text) && removed !== '' && added !== '' && pieces[index + 1]?.kind !== 'same'
    if (kind !== 'added' && (kind === 'removed' || isBetween)) removed += text
    if (kind === 'added' || isBetween) added += text
    if (kind !== 'same' || isBetween) continue
    flush()
    const last = merged.at(-1)
    if (last?.kind === 'same') last.text += text
    else merged.push({ kind, text })
  }
  flush()
  return merged
}

export function diffWords(from: string, to: string): Piece[] {
  const [a, b] = [toWords(from), toWords(to)]
  const start = commonStart(a, b)
  const end = commonEnd(a, b, start)
  const pieces = [
    piece('same', a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    piece('same', a.slice(a.length - end)),
  ]
  return merge(pieces.filter(({ text }) => text !== ''))
}
