/** Computes chip widths without rendering the chips. */
import { preferences } from '../../preferences.ts'
import type { Choice } from './choices.ts'

const PADDING = 24
const SPACE = 7
/** Tolerance for the browser's rounding. */
const SLACK = 1.03

let context: CanvasRenderingContext2D | null | undefined
/** Cache, because the same few texts occur in every record. */
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

export function chipWidth(choice: Choice, font: string, marks: { hasLetter: boolean }): number {
  const numbers = Math.max(SPACE, String(choice.number).length * 7) + SPACE + (marks.hasLetter ? 2 * SPACE : 0)
  return Math.ceil(PADDING + numbers + widthOf(choice.text, font) * SLACK)
}

/** Font of chips; read once per text size instead of once per chip. */
export function chipFont(element: Element): string {
  const { fontSize, fontFamily } = getComputedStyle(element)
  return `400 ${fontSize} ${fontFamily}`
}

/** Changes if the size of chips may change. */
export const sizeKey = () => preferences.density
