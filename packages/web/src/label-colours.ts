/** The colours that a label can have, in the order in which labels get them. Each keeps its contrast in every theme: see span.css. */
export const LABEL_COLOURS = [
  ...(['blue', 'amber', 'magenta', 'teal', 'vermilion', 'plum', 'green'] as const),
  ...(['olive', 'slate', 'brown', 'lime', 'rose', 'sky', 'violet'] as const),
] as const
export type LabelColour = (typeof LABEL_COLOURS)[number]

/** Label -> colour, where a lead chose one. */
export type LabelColours = Readonly<Record<string, LabelColour>>
