/**
 * Where commands work. A part that has the focus gets a key before the page around it, so one key may mean one thing in a
 * ranking and another on the page. Two commands are in each other's way only where both would answer.
 */
type Stage =
  | ('home' | 'focus' | 'bulk' | 'settings')
  | ('option' | 'item' | 'label-search' | 'editor' | 'span-text' | 'label-list' | 'chat' | 'search-box' | 'label-table')

interface PlaceOfCommands {
  stages: readonly Stage[]
  /** Further ones of commands that also work while somebody types. */
  typing?: readonly Stage[]
  /** Only while this part has the focus: what has the same key on these pages waits. */
  within?: readonly Stage[]
}

const WORK = ['focus', 'bulk'] as const
const WORK_TYPING = ['label-search', 'editor', 'label-list', 'search-box'] as const

const PLACES = {
  everywhere: { stages: ['home', 'focus', 'bulk', 'settings'], typing: [...WORK_TYPING, 'label-table'] },
  home: { stages: ['home'] },
  work: { stages: WORK, typing: WORK_TYPING },
  /** One record at a time. */
  focus: { stages: ['focus'], typing: WORK_TYPING },
  bulk: { stages: ['bulk'] },
  settings: { stages: ['settings'], typing: ['label-table'] },
  /** The question in hand, wherever the focus is. */
  question: { stages: [...WORK, 'option', 'item', 'span-text'] },
  'text-question': { stages: WORK },
  option: { stages: ['option'], within: WORK },
  /** Of a ranking. */
  item: { stages: ['item'], within: WORK },
  'option-or-item': { stages: ['option', 'item'], within: WORK },
  'label-search': { stages: ['label-search'], within: WORK },
  editor: { stages: ['editor'], within: WORK },
  'span-text': { stages: ['span-text'], within: WORK },
  /** Only letters that a lead gave to labels; they always come first. */
  'span-letters': { stages: [] },
  'label-list': { stages: ['label-list'], within: WORK },
  chat: { stages: ['chat'], within: WORK },
  'search-box': { stages: ['search-box'], within: WORK },
  'label-table': { stages: ['label-table'], within: ['settings'] },
} as const satisfies Record<string, PlaceOfCommands>

export type Place = keyof typeof PLACES

interface Placed {
  place: Place
  inText?: boolean | undefined
}

const stagesOf = ({ place, inText }: Placed): readonly Stage[] => {
  const { stages, typing = [] }: PlaceOfCommands = PLACES[place]
  return inText ? [...stages, ...typing] : stages
}

/** Whether one key press could be meant for both. */
export const canMeet = (one: Placed, other: Placed): boolean => stagesOf(one).some(stage => stagesOf(other).includes(stage))

/** Whether `outer` waits while the place of `inner` has the focus. */
export const isOutside = (inner: Placed, outer: Placed): boolean => {
  const { within = [] }: PlaceOfCommands = PLACES[inner.place]
  const { within: own }: PlaceOfCommands = PLACES[outer.place]
  return own === undefined && within.some(stage => stagesOf(outer).includes(stage))
}
