/** Where the names of spans stand under a text, so that none lies on another and none leaves the text's box. */

interface NameBox {
  /** Where the span begins. */
  x: number
  /** Of the whole name. */
  width: number
  /** Names of one line and level share it. */
  row: string
  /** The name grows to the left from `x`. */
  isRightToLeft: boolean
}

interface NamePlace {
  left: number
  /** The name is cut to it. */
  width: number
}

const GAP = 5

/**
 * In the order given. A name that would run out at the side is moved in; of two that collide the one that runs into the other
 * is cut.
 */
export function placeNames(boxes: readonly NameBox[], boxWidth: number): NamePlace[] {
  const places = boxes.map(({ x, width, isRightToLeft }) => {
    const whole = Math.min(width, boxWidth)
    const left = isRightToLeft ? x - whole : x
    return { left: Math.max(0, Math.min(left, boxWidth - whole)), width: whole }
  })
  const rows = Map.groupBy(boxes.keys(), index => boxes[index]?.row ?? '')
  for (const row of rows.values()) separate(row, boxes, places)
  return places
}

function separate(row: number[], boxes: readonly NameBox[], places: NamePlace[]): void {
  row.sort((a, b) => (places[a]?.left ?? 0) - (places[b]?.left ?? 0))
  for (const [at, index] of row.entries()) {
    const place = places[index]
    const next = places[row[at + 1] ?? -1]
    if (!place || !next || place.left + place.width + GAP <= next.left) continue
    if (boxes[index]?.isRightToLeft) {
      const end = next.left + next.width
      next.left = Math.min(place.left + place.width + GAP, end)
      next.width = end - next.left
    } else place.width = Math.max(0, next.left - GAP - place.left)
  }
}
