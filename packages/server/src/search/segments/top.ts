/** Selects the best matches of a text query. */
import type { Bitmap } from '../bitmap.ts'
import { sortByKey } from '../sort-by-key.ts'

/** Above this share of the matches, sorting all of them is faster than keeping the best in a heap. */
const HEAP_SHARE_MAX = 1 / 64

/**
 * Returns the ordinals with the `count` highest scores, best first; equal scores in the order of the ordinals. `matches` may be a
 * subset of the text query's result, if filters removed some records; `total` is their number.
 */
export function topMatches(matches: Bitmap, total: number, scores: Float64Array, count: number): Uint32Array {
  if (count <= total * HEAP_SHARE_MAX) return takeBest(matches, scores, count)
  const ordinals = matches.ordinals(total)
  const keys = new Float64Array(ordinals.length)
  for (let i = 0; i < keys.length; i++) keys[i] = -(scores[ordinals[i] as number] as number)
  return sortByKey(ordinals, keys).slice(0, count)
}

/** Uses a heap whose root is the worst of the best matches so far. There must be at least `count` matches. */
function takeBest({ words }: Bitmap, scores: Float64Array, count: number): Uint32Array {
  const heap = new Uint32Array(count)
  let size = 0
  let worst = Number.POSITIVE_INFINITY
  for (let i = 0; i < words.length; i++) {
    for (let word = (words[i] as number) | 0; word !== 0; word &= word - 1) {
      const ordinal = i * 32 + 31 - Math.clz32(word & -word)
      if (size < count) {
        heap[size++] = ordinal
        if (size < count) continue
        for (let at = (size >>> 1) - 1; at >= 0; at--) sink(heap, size, at, scores)
      } else {
        // Ordinals ascend, so with equal scores the entries of the heap come first.
        if ((scores[ordinal] as number) <= worst) continue
        heap[0] = ordinal
        sink(heap, size, 0, scores)
      }
      worst = scores[heap[0] as number] as number
    }
  }
  sortHeap(heap, scores)
  return heap
}

/** Repeatedly moves the worst entry behind the remaining ones. */
function sortHeap(heap: Uint32Array, scores: Float64Array): void {
  for (let end = heap.length - 1; end > 0; end--) {
    const last = heap[0] as number
    heap[0] = heap[end] as number
    heap[end] = last
    sink(heap, end, 0, scores)
  }
}

/** Restores the heap property (the worst entry is the root) after the entry at `start` was replaced. */
function sink(heap: Uint32Array, size: number, start: number, scores: Float64Array): void {
  let at = start
  for (;;) {
    let worst = at
    for (let child = 2 * at + 1; child <= 2 * at + 2 && child < size; child++) {
      if (isWorse(heap[child] as number, heap[worst] as number, scores)) worst = child
    }
    if (worst === at) return
    const moved = heap[at] as number
    heap[at] = heap[worst] as number
    heap[worst] = moved
    at = worst
  }
}

function isWorse(left: number, right: number, scores: Float64Array): boolean {
  const difference = (scores[left] as number) - (scores[right] as number)
  return difference < 0 || (difference === 0 && left > right)
}
