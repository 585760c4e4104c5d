/**
 * Text offsets. The server and Python count code points, browsers count UTF-16 units; they differ after the first character
 * outside the basic multilingual plane, such as an emoji.
 */

/** Half-open range in UTF-16 units. */
export interface Range {
  start: number
  end: number
}

export interface Offsets {
  /** Code points -> UTF-16 units, limited to the length of the text. */
  toUnits(points: number): number
  /** UTF-16 units -> code points; inside a surrogate pair, the preceding boundary. */
  toPoints(units: number): number
}

const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800
const isLow = (unit: number) => (unit & 0xfc00) === 0xdc00

/** Scans the text once; each lookup is then a binary search. */
export function openOffsets(text: string): Offsets {
  const pairs: number[] = []
  for (let i = 0; i < text.length - 1; i++) {
    if (isHigh(text.charCodeAt(i)) && isLow(text.charCodeAt(i + 1))) pairs.push(i++)
  }
  const length = text.length - pairs.length
  return {
    toUnits: points => {
      const inside = Math.max(0, Math.min(points, length))
      return inside + countWhile(pairs, (unit, index) => unit - index < inside)
    },
    toPoints: units => {
      const inside = Math.max(0, Math.min(units, text.length))
      return inside - countWhile(pairs, unit => unit < inside)
    },
  }
}

/** Binary search: counts the leading numbers for which the predicate holds. It must hold for a prefix only. */
function countWhile(sorted: readonly number[], holds: (value: number, index: number) => boolean): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(sorted[middle] ?? 0, middle)) from = middle + 1
    else to = middle
  }
  return from
}

/** Returns the full character at this unit; empty at the end. */
export function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** Returns the full character before this unit; empty at the start. */
export function characterBefore(text: string, at: number): string {
  const isPair = at >= 2 && isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2))
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at)
}
