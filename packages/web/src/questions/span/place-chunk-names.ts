/** Puts the names of a chunk's marks under their first letters. All is read first and written after, so it costs one layout. */
import { directionOf } from '../../fields/direction.ts'
import { firstBoxes } from './dom-text.ts'
import type { Mark } from './marks.ts'
import { placeNames } from './name-places.ts'

const BELOW = 2
const LEVEL = 14
/** The underline begins a little before the letter. */
const BEFORE = 1

/** The whole width of names that are on the page, so that a name already cut need not be let out to be measured. */
const widths = new WeakMap<Element, { text: string; width: number }>()

/** `named` in the order of the text, as their elements are. `isFresh`: fonts have come since the last time. */
export function placeChunkNames(chunk: HTMLElement, text: string, named: readonly Mark[], isFresh = false): void {
  // Not laid out, as the record that comes next: it is placed when it is shown.
  if (chunk.clientWidth === 0) return
  const elements = Array.from(chunk.querySelectorAll<HTMLElement>('.nm'))
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
    const y = letter ? letter.bottom - corner.top + BELOW + mark.level * LEVEL : 0
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

/** The same value again would still count as a change. */
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
