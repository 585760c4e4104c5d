/** Widths of chips as the browser would draw them, without drawing them. */
import { preferences } from '../../preferences.ts'
import type { Choice } from './choices.ts'

const PADDING = 24
const SPACE = 7
const SPARKLE = 22
const SCORE = 20
/** A chip in ink is a little bolder. */
const SLACK = 1.03

let context: CanvasRenderingContext2D | null | undefined
/** Texts are few and come again with every record. */
let known = { font: '', widths: new Map<string, number>() }

function widthOf(text: string, font: string): number {
  if (known.font !== font) known = { font, widths: new Map() }
  let width = known.widths.get(text)
  if (width === undefined) {
    context ??= document.createElement('canvas').getContext('2d')
    if (context) context.font = font
    width = context?.measureText(text).width ?? text.length * 8
    known.widths.set(text, width)
  }
  return width
}

export function chipWidth(choice: Choice, font: string, marks: { isSuggested: boolean; hasLetter: boolean }): number {
  const numbers = Math.max(SPACE, String(choice.number).length * 7) + SPACE + (marks.hasLetter ? 2 * SPACE : 0)
  const suggestion = marks.isSuggested ? SPARKLE + SCORE : 0
  return Math.ceil(PADDING + numbers + widthOf(choice.text, font) * SLACK + suggestion)
}

/** The font of chips; read once per size of text, not per chip. */
export function chipFont(element: Element): string {
  const { fontSize, fontFamily } = getComputedStyle(element)
  return `400 ${fontSize} ${fontFamily}`
}

/** Changes when chips may have another size. */
export const sizeKey = () => preferences.density
