/** Label colours, in the order in which they are assigned. Each has sufficient contrast in every theme: see span.css. */
export const LABEL_COLOURS = [
  ...(['blue', 'amber', 'magenta', 'teal', 'vermilion', 'plum', 'green'] as const),
  ...(['olive', 'slate', 'brown', 'lime', 'rose', 'sky', 'violet'] as const),
] as const
export type LabelColour = (typeof LABEL_COLOURS)[number]

/** Label -> colour, for labels with a colour chosen by an admin. */
export type LabelColours = Readonly<Record<string, LabelColour>>
