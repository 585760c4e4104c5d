/** Keys of the ranking item that has the focus. */
import { type Command, useCommands } from '../../shortcuts/commands.ts'

interface RankKeys {
  isOn(): boolean
  focusedKey(event: KeyboardEvent | null): string | null
  step(value: string, by: 1 | -1): void
  unrank(value: string): void
}

const group = 'questions.group_question'

export function useRankKeys({ isOn, focusedKey, step, unrank }: RankKeys): void {
  const onItem = (act: (value: string) => void) => (event: KeyboardEvent | null) => {
    const value = focusedKey(event)
    if (value === null) return false
    act(value)
    return true
  }
  const shared = { group, inPalette: false, when: isOn } as const
  useCommands('widget', (): Command[] => [
    {
      ...shared,
      id: 'question.rankUp',
      title: 'questions.cmd_rank_up',
      keys: ['Alt+ArrowUp'],
      repeats: true,
      run: onItem(value => step(value, -1)),
    },
    {
      ...shared,
      id: 'question.rankDown',
      title: 'questions.cmd_rank_down',
      keys: ['Alt+ArrowDown'],
      repeats: true,
      run: onItem(value => step(value, 1)),
    },
    { ...shared, id: 'question.unrank', title: 'questions.cmd_unrank', keys: ['Delete'], run: onItem(unrank) },
  ])
}
