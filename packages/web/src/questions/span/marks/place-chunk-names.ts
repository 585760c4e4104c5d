/**
 * Places the names of a chunk's marks below their first letters. All reads come before all writes, so that only one layout is
 * needed.
 */
import { directionOf } from '../../../fields/direction.ts'
import { firstBoxes } from '../text/dom-text.ts'
import type { Mark } from './marks.ts'
import { placeNames } from './name-places.ts'
import { rowTop } from './rows.ts'

const BELOW = 2
/** The underline starts slightly before the letter. */
const BEFORE = 1

/** Full widths of rendered names, so that a truncated name does not have to be expanded to be measured. */
const widths = new WeakMap<Element, { text: string; width: number }>()

/** `named` must be in text order, like the elements. `isFresh`: fonts were loaded since the last call. */
export function placeChunkNames(chunk: HTMLElement, text: string, named: readonly Mark[], isFresh = false): void {
  // Not laid out yet, such as a prefetched record; names are placed when it is shown.
  if (chunk.clientWidth === 0) return
  const elements = Array.from(chunk.querySelectorAll<HTMLElement>('.span-name'))
  const unknown = elements.filter(element => isFresh || widths.get(element)?.text !== element.textContent)
  for (const element of unknown) if (element.style.maxInlineSize !== '') element.style.maxInlineSize = ''
  for (const element of unknown) {
    const width = (element.firstElementChild?.getBoundingClientRect().width ?? 0) + 1
    widths.set(element, { text: element.textContent, width })
  }
  const corner = chunk.getBoundingClientRect()
  const letters = firstBoxes(
    chunk,
    named.map(({ start }) => start),
  )
  const boxes = named.map((mark, index) => {
    const letter = letters[index] ?? null
    const isRightToLeft = directionOf(text.slice(mark.start, mark.end)) === 'rtl'
    const x = letter ? (isRightToLeft ? letter.right + BEFORE : letter.left - BEFORE) - corner.left : 0
    const y = letter ? letter.bottom - corner.top + BELOW + rowTop(mark.level) : 0
    const element = elements[index]
    const width = (element && widths.get(element)?.width) ?? 0
    return { x, y, width, row: String(Math.round(y / 4)), isRightToLeft, isDrawn: letter !== null }
  })
  const places = placeNames(boxes, chunk.clientWidth)
  for (const [index, element] of elements.entries()) {
    const place = places[index]
    const box = boxes[index]
    if (place && box) write(element, { left: place.left, top: box.y, width: place.width, isDrawn: box.isDrawn })
  }
}

/** Writes only changed values, because the browser treats writing the same value as a change. */
function write(
  { style }: HTMLElement,
  { left, top, width, isDrawn }: { left: number; top: number; width: number; isDrawn: boolean },
) {
  const transform = `translate(${left}px, ${top}px)`
  const maxInlineSize = `${width}px`
  const visibility = isDrawn ? '' : 'hidden'
  if (style.transform !== transform) style.transform = transform
  if (style.maxInlineSize !== maxInlineSize) style.maxInlineSize = maxInlineSize
  if (style.visibility !== visibility) style.visibility = visibility
}
