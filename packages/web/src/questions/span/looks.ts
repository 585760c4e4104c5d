/** How the label of a question looks: one of fourteen colours and four underlines; see span.css. */
import type { QuestionOption } from '@postil/domain/questions/options'

const COLOURS = 14
const PATTERNS = ['solid', 'double', 'dotted', 'dashed']
const COLOUR = /^#[\da-f]{6}$/i

export interface Look {
  /** Sets the colours and the underline for everything inside. */
  classes: string
  /** What a lead chose, as a property that span.css derives its three colours from. */
  style: { '--lb-own': string } | undefined
}

/** Colours go by the order of the labels; from the fifteenth on they come again with the next underline. */
export function lookAt(index: number, colour: string | null = null): Look {
  const pattern = PATTERNS[((index % COLOURS) + Math.floor(index / COLOURS)) % PATTERNS.length]
  if (colour !== null) return { classes: `lb-own lb-${pattern}`, style: { '--lb-own': colour } }
  return { classes: `lb-${(index % COLOURS) + 1} lb-${pattern}`, style: undefined }
}

/** Only a plain colour is taken: options come from outside. */
function ownColour(option: QuestionOption): string | null {
  const colour = 'color' in option ? option.color : null
  return typeof colour === 'string' && COLOUR.test(colour) ? colour : null
}

export interface Label extends Look {
  name: string
}

/** Thousands of labels are asked for with every mark; they are made once for each list. */
const known = new WeakMap<readonly QuestionOption[], ReadonlyMap<string, Label>>()

export function labelsOf(options: readonly QuestionOption[]): ReadonlyMap<string, Label> {
  const labels =
    known.get(options) ??
    new Map(options.map((option, index) => [option.value, { name: option.text, ...lookAt(index, ownColour(option)) }]))
  known.set(options, labels)
  return labels
}
