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

export function useOptionKeys(keys: OptionKeys): void {
  const hasLetters = () => Object.keys(keys.letters()).length > 0
  const optionOf = (letter: string) =>
    Object.entries(keys.letters()).find(([, other]) => other.toLowerCase() === letter.toLowerCase())?.[0]

  function onLetter(event: KeyboardEvent | null): boolean {
    if (event === null || keys.focusedKey(event) === null) return false
    const option = optionOf(event.key)
    if (option !== undefined) keys.toggle(option)
    else if (keys.hasSearch()) keys.beginSearch(event.key)
    else return false
    return true
  }

  function onSpace(event: KeyboardEvent | null): boolean {
    const key = keys.focusedKey(event)
    if (key !== null) keys.toggle(key)
    return key !== null
  }

  const inSearch = (): boolean => keys.isOn() && keys.isSearching()
  useCommands('widget', (): Command[] => [
    {
      id: 'question.toggle',
      title: 'questions.cmd_toggle',
      group,
      keys: ['Space'],
      inPalette: false,
      when: keys.isOn,
      run: onSpace,
    },
    {
      id: 'question.find',
      title: keys.hasSearch() ? 'questions.cmd_find' : 'questions.cmd_letter',
      group,
      keys: ['a-z'],
      inPalette: false,
      when: () => keys.isOn() && (keys.hasSearch() || hasLetters()),
      run: onLetter,
    },
    {
      id: 'question.takeHit',
      title: 'questions.cmd_take_hit',
      group,
      keys: ['Enter'],
      inText: true,
      inPalette: false,
      when: inSearch,
      run: keys.takeHit,
    },
    {
      id: 'question.leaveSearch',
      title: 'questions.cmd_leave_search',
      group,
      keys: ['ArrowDown', 'ArrowUp', 'Escape'],
      inText: true,
      inPalette: false,
      when: inSearch,
      run: event => keys.leaveSearch(event?.key === 'Escape'),
    },
  ])
}
