/** Puts the names of a chunk's marks under their first letters. All is read first and written after, so it costs one layout. */
import { directionOf } from '../../fields/direction.ts'
import { firstBoxes } from './dom-text.ts'
import type { Mark } from './marks.ts'
import { placeNames } from './name-places.ts'

const BELOW = 2
const LEVEL = 14
/** The underline begins a little before the letter. */
const BEFORE = 1

/** `named` in the order of the text, as their elements are. */
export function placeChunkNames(chunk: HTMLElement, text: string, named: readonly Mark[]): void {
  const elements = Array.from(chunk.querySelectorAll<HTMLElement>('.nm'))
  for (const element of elements) element.style.maxInlineSize = ''
  const corner = chunk.getBoundingClientRect()
  const letters = firstBoxes(
    chunk,
    named.map(({ start }) => start),
  )
  const boxes = named.map((mark, index) => {
    const letter = letters[index]
    const isRightToLeft = directionOf(text.slice(mark.start, mark.end)) === 'rtl'
    const x = letter ? (isRightToLeft ? letter.right + BEFORE : letter.left - BEFORE) - corner.left : 0
    const y = letter ? letter.bottom - corner.top + BELOW + mark.level * LEVEL : 0
    // A cut name still needs its fraction of a pixel.
    const width = (elements[index]?.firstElementChild?.getBoundingClientRect().width ?? 0) + 1
    return { x, y, width, row: String(Math.round(y / 4)), isRightToLeft, isDrawn: letter !== null && letter !== undefined }
  })
  const places = placeNames(boxes, chunk.clientWidth)
  for (const [index, element] of elements.entries()) {
    const place = places[index]
    const box = boxes[index]
    if (!place || !box) continue
    element.style.left = `${place.left}px`
    element.style.top = `${box.y}px`
    element.style.maxInlineSize = `${place.width}px`
    element.style.visibility = box.isDrawn ? '' : 'hidden'
  }
}
