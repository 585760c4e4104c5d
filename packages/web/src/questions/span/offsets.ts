/**
 * Where things are in a text. The server and Python count code points, the browser UTF-16 units; they part after the first
 * character outside the basic plane, such as an emoji.
 */

/** From the first UTF-16 unit to the one after the last. */
export interface Range {
  start: number
  end: number
}

export interface Offsets {
  /** Code points -> UTF-16 units; never beyond the text. */
  toUnits(points: number): number
  /** UTF-16 units -> code points; inside a surrogate pair it is the one before. */
  toPoints(units: number): number
}

const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800
const isLow = (unit: number) => (unit & 0xfc00) === 0xdc00

/** Reads the text once; each question after that takes a few steps. */
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

/** How many of the first numbers hold, where once one does not hold, none after it does. */
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

/** The whole character at this unit, empty at the end. */
export function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** The whole character that ends before this unit, empty at the start. */
export function characterBefore(text: string, at: number): string {
  const isPair = at >= 2 && isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2))
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at)
}
