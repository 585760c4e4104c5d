/** Keys of label and multi-label beyond digits and Tab. */
import { type Command, useCommands } from '../../shortcuts/commands.ts'

interface OptionKeys {
  isOn(): boolean
  hasSearch(): boolean
  /** Option value -> letter. */
  letters(): Readonly<Record<string, string>>
  focusedKey(event: KeyboardEvent | null): string | null
  toggle(key: string): void
  isSearching(): boolean
  beginSearch(letter: string): void
  takeHit(): void
  leaveSearch(isClearing: boolean): void
}

const group = 'questions.group_question'

/** A letter that a lead gave to an option picks it, any other begins the search. */
function onLetter(keys: OptionKeys, event: KeyboardEvent | null): boolean {
  if (event === null || keys.focusedKey(event) === null) return false
  const letter = event.key.toLowerCase()
  const option = Object.entries(keys.letters()).find(([, other]) => other.toLowerCase() === letter)?.[0]
  if (option !== undefined) keys.toggle(option)
  else if (keys.hasSearch()) keys.beginSearch(event.key)
  else return false
  return true
}

function onSpace(keys: OptionKeys, event: KeyboardEvent | null): boolean {
  const key = keys.focusedKey(event)
  if (key !== null) keys.toggle(key)
  return key !== null
}

const onOptions = (keys: OptionKeys): Command[] => [
  {
    id: 'question.toggle',
    title: 'questions.cmd_toggle',
    group,
    keys: ['Space'],
    inPalette: false,
    when: keys.isOn,
    run: event => onSpace(keys, event),
  },
  {
    id: 'question.find',
    title: keys.hasSearch() ? 'questions.cmd_find' : 'questions.cmd_letter',
    group,
    keys: ['a-z'],
    inPalette: false,
    when: () => keys.isOn() && (keys.hasSearch() || Object.keys(keys.letters()).length > 0),
    run: event => onLetter(keys, event),
  },
]

const inSearch = (keys: OptionKeys): Command[] => {
  const shared = { group, inText: true, inPalette: false, when: () => keys.isOn() && keys.isSearching() } as const
  return [
    { ...shared, id: 'question.takeHit', title: 'questions.cmd_take_hit', keys: ['Enter'], run: keys.takeHit },
    {
      ...shared,
      id: 'question.leaveSearch',
      title: 'questions.cmd_leave_search',
      keys: ['ArrowDown', 'ArrowUp', 'Escape'],
      run: event => keys.leaveSearch(event?.key === 'Escape'),
    },
  ]
}

export const useOptionKeys = (keys: OptionKeys): void => useCommands('widget', () => [...onOptions(keys), ...inSearch(keys)])
