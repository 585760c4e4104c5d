/** Style of a label: one of 14 colours and 4 underlines; see span.css. */
import type { QuestionOption } from '@postil/domain/questions/options'
import { LABEL_COLOURS, type LabelColour, type LabelColours } from '../../../label-colours.ts'

const COLOURS = LABEL_COLOURS.length
const PATTERNS = ['solid', 'double', 'dotted', 'dashed']

/** CSS classes that set the colours and the underline. */
export interface Look {
  classes: string
}

/** Colours are assigned by the order of the labels; from the 15th label on, they repeat with the next underline. */
export function lookAt(index: number, colour?: LabelColour): Look {
  const pattern = PATTERNS[((index % COLOURS) + Math.floor(index / COLOURS)) % PATTERNS.length]
  const number = colour === undefined ? index % COLOURS : LABEL_COLOURS.indexOf(colour)
  return { classes: `label-colour-${number + 1} label-${pattern}` }
}

export interface Label extends Look {
  name: string
}

const NO_COLOURS: LabelColours = {}

/** Cache per option list, because thousands of labels are looked up for every mark. */
const known = new WeakMap<readonly QuestionOption[], { colours: LabelColours; labels: ReadonlyMap<string, Label> }>()

export function labelsOf(options: readonly QuestionOption[], colours: LabelColours = NO_COLOURS): ReadonlyMap<string, Label> {
  const made = known.get(options)
  if (made?.colours === colours) return made.labels
  const labels = new Map(
    options.map(({ value, text }, index) => [value, { name: text, ...lookAt(index, colours[value]) }] as const),
  )
  known.set(options, { colours, labels })
  return labels
}
