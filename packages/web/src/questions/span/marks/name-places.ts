/** Positions of label names below a text, without overlaps and within the text's box. */

interface NameBox {
  /** Horizontal start of the span. */
  x: number
  /** Full width of the name. */
  width: number
  /** Key of the row; names on the same line and level share it. */
  row: string
  /** True if the name extends to the left of `x`. */
  isRightToLeft: boolean
}

interface NamePlace {
  left: number
  /** Names are truncated to this width. */
  width: number
}

const GAP = 5
/** Minimum width of a truncated name. */
const LEAST = 28

/**
 * Returns the positions in the order of `boxes`. A name that would overflow at the side is moved inside. If two names collide,
 * the one that extends into the other is truncated; if it would become too short, the other one moves.
 */
export function placeNames(boxes: readonly NameBox[], boxWidth: number): NamePlace[] {
  const places = boxes.map(({ x, width, isRightToLeft }) => {
    const whole = Math.min(width, boxWidth)
    const left = isRightToLeft ? x - whole : x
    return { left: Math.max(0, Math.min(left, boxWidth - whole)), width: whole }
  })
  const rows = Map.groupBy(boxes.keys(), index => boxes[index]?.row ?? '')
  for (const row of rows.values()) separate(row, boxes, places, boxWidth)
  return places
}

function separate(row: number[], boxes: readonly NameBox[], places: NamePlace[], boxWidth: number): void {
  row.sort((a, b) => (places[a]?.left ?? 0) - (places[b]?.left ?? 0))
  for (const [at, index] of row.entries()) {
    const place = places[index]
    const next = places[row[at + 1] ?? -1]
    if (!place || !next || place.left + place.width + GAP <= next.left) continue
    if (boxes[index]?.isRightToLeft) {
      const end = next.left + next.width
      next.left = Math.min(place.left + place.width + GAP, end)
      next.width = end - next.left
    } else {
      place.width = Math.max(next.left - GAP - place.left, Math.min(place.width, LEAST))
      next.left = Math.max(next.left, place.left + place.width + GAP)
      next.width = Math.max(0, Math.min(next.width, boxWidth - next.left))
    }
  }
}
