/**
 * Places in which commands work. The focused part handles a key before the page around it, so the same key can have different
 * meanings in a ranking and on the page. Two commands conflict only if both can be active in the same place.
 */
type Stage =
  | ('home' | 'focus' | 'bulk' | 'settings')
  | ('option' | 'item' | 'label-search' | 'editor' | 'span-text' | 'label-list' | 'chat' | 'search-box' | 'label-table')

interface PlaceOfCommands {
  stages: readonly Stage[]
  /** Additional stages of commands that also work in text inputs. */
  typing?: readonly Stage[]
  /** Pages on which this part overrides commands with the same key while it has the focus. */
  within?: readonly Stage[]
}

const WORK = ['focus', 'bulk'] as const
const WORK_TYPING = ['label-search', 'editor', 'label-list', 'search-box'] as const

const PLACES = {
  everywhere: { stages: ['home', 'focus', 'bulk', 'settings'], typing: [...WORK_TYPING, 'label-table'] },
  home: { stages: ['home'] },
  work: { stages: WORK, typing: WORK_TYPING },
  /** Focus view: one record at a time. */
  focus: { stages: ['focus'], typing: WORK_TYPING },
  bulk: { stages: ['bulk'] },
  settings: { stages: ['settings'], typing: ['label-table'] },
  /** The current question, wherever the focus is. */
  question: { stages: [...WORK, 'option', 'item', 'span-text'] },
  'text-question': { stages: WORK },
  option: { stages: ['option'], within: WORK },
  /** Item of a ranking. */
  item: { stages: ['item'], within: WORK },
  'option-or-item': { stages: ['option', 'item'], within: WORK },
  'label-search': { stages: ['label-search'], within: WORK },
  editor: { stages: ['editor'], within: WORK },
  'span-text': { stages: ['span-text'], within: WORK },
  /** Letters that admins have assigned to labels; they always take precedence. */
  'span-letters': { stages: [] },
  'label-list': { stages: ['label-list'], within: WORK },
  chat: { stages: ['chat'], within: WORK },
  'search-box': { stages: ['search-box'], within: WORK },
  'label-table': { stages: ['label-table'], within: ['settings'] },
} as const satisfies Record<string, PlaceOfCommands>

export type Place = keyof typeof PLACES

interface PlacedCommand {
  place: Place
  inText?: boolean | undefined
}

const stagesOf = ({ place, inText }: PlacedCommand): readonly Stage[] => {
  const { stages, typing = [] }: PlaceOfCommands = PLACES[place]
  return inText ? [...stages, ...typing] : stages
}

/** True if both commands could handle the same key press. */
export const canConflict = (one: PlacedCommand, other: PlacedCommand): boolean =>
  stagesOf(one).some(stage => stagesOf(other).includes(stage))

/** True if `inner` overrides `outer` while the place of `inner` has the focus. */
export const overrides = (inner: PlacedCommand, outer: PlacedCommand): boolean => {
  const { within = [] }: PlaceOfCommands = PLACES[inner.place]
  const { within: own }: PlaceOfCommands = PLACES[outer.place]
  return own === undefined && within.some(stage => stagesOf(outer).includes(stage))
}
