/** Keys of label and multi-label questions, except digits and Tab. */
import { type Command, useCommands } from '../../shortcuts/commands.ts'
import { define } from '../../shortcuts/defaults.ts'

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

/** A letter assigned to an option picks it; any other letter starts a search. */
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
  define('question.toggle', event => onSpace(keys, event), { when: keys.isOn }),
  define('question.find', event => onLetter(keys, event), {
    title: keys.hasSearch() ? 'questions.cmd_find' : 'questions.cmd_letter',
    when: () => keys.isOn() && (keys.hasSearch() || Object.keys(keys.letters()).length > 0),
  }),
]

const inSearch = (keys: OptionKeys): Command[] => {
  const when = () => keys.isOn() && keys.isSearching()
  return [
    define('question.takeHit', keys.takeHit, { when }),
    define('question.leaveSearch', event => keys.leaveSearch(event?.key === 'Escape'), { when }),
  ]
}

export const useOptionKeys = (keys: OptionKeys): void => useCommands('widget', () => [...onOptions(keys), ...inSearch(keys)])
